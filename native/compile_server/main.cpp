// The compile server: clang, stopped after libtorch's headers. Each compile is a copy of this
// process (a fork) that goes on with the user's source, so no build reads a header, or instantiates
// a template, that is the same in every build; a compiler that crashes takes nothing with it but
// its own copy. Where the headers come from a precompiled one, clang reads of it what is asked for;
// the server answers at once and reads the rest, for all copies to come, while nobody asks.
//
//   opsmith_compile_server [--shared-code NAMES] -- CLANG FLAGS... -c PRELUDE.cpp -o unused.o
//   opsmith_compile_server --make-shared-code NAMES OBJECT -- CLANG FLAGS... -c PRELUDE.cpp -o
//   unused.o
//
// PRELUDE.cpp includes the headers and ends in `#pragma opsmith_serve`. Requests come by stdin
// (requests.h), answers go to stdout; it ends when stdin does. Built against the libraries of the
// clang it stands for.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/Support/TargetSelect.h>

#include "device_code.h"
#include "requests.h"
#include "shared_code.h"

namespace opsmith::compile_server {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const double started = seconds();

/// How long the server, when it has more to read, waits for another request after one.
constexpr int pause_milliseconds = 300;

/// What this process is to write, once it is a copy that compiles.
struct result {
  std::string object;
  std::string depfile;
  std::vector<std::string> read;
  bool is_device_code = false;
};

/// Files that the user's source includes and the headers before it did not.
class read_files : public clang::PPCallbacks {
 public:
  read_files(const clang::SourceManager& sources, result& into) : sources_(sources), into_(into) {}

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override {
    if (reason != LexedFileChangeReason::EnterFile) return;
    if (const auto entry = sources_.getFileEntryRefForID(file)) {
      into_.read.push_back(entry->getName().str());
    }
  }

 private:
  const clang::SourceManager& sources_;
  result& into_;
};

int children_pipe[2];
void on_child(int) {
  const char byte = 0;
  [[maybe_unused]] const auto written = write(children_pipe[1], &byte, 1);
}

class serve_pragma : public clang::PragmaHandler {
 public:
  serve_pragma(clang::CompilerInstance& compiler, result& into, const names& shared,
               std::string make_names)
      : PragmaHandler("opsmith_serve"),
        compiler_(compiler),
        into_(into),
        shared_(shared),
        make_names_(std::move(make_names)) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer,
                    clang::Token&) override {
    // The line must be read to its end before another file is entered.
    clang::Token rest;
    do
      preprocessor.LexUnexpandedToken(rest);
    while (!rest.is(clang::tok::eod));
    // What clang leaves for the end of a file: done here, it is done once for all.
    auto& sema = compiler_.getSema();
    sema.DefineUsedVTables();
    sema.PerformPendingInstantiations();
    if (compiler_.getDiagnostics().hasErrorOccurred()) _exit(1);
    if (!make_names_.empty()) return;
    if (pipe2(children_pipe, O_CLOEXEC | O_NONBLOCK) != 0) _exit(1);
    struct sigaction action = {};
    action.sa_handler = on_child;
    action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
    sigaction(SIGCHLD, &action, nullptr);
    say_ready(seconds() - started);
    // In between, requests are answered: a copy made then knows fewer of the shared functions.
    mark_shared_functions(compiler_, shared_, [&] {
      bool served = serve(preprocessor, 0);
      // Copies have the cores to themselves; the next source of a build comes soon after one ends.
      while (!is_copy_ && (!running_.empty() || served))
        served = serve(preprocessor, running_.empty() ? pause_milliseconds : -1);
      return is_copy_;
    });
    while (!is_copy_)
      serve(preprocessor, -1);
  }

 private:
  /// Takes what has come within `timeout` milliseconds, -1 for ever. In a copy, `is_copy_` is set.
  /// @returns whether something had
  bool serve(clang::Preprocessor& preprocessor, int timeout) {
    pollfd wanted[] = {{STDIN_FILENO, POLLIN, 0}, {children_pipe[0], POLLIN, 0}};
    const int ready = poll(wanted, 2, timeout);
    if (ready < 0 && errno != EINTR) _exit(1);
    if (ready <= 0) return ready < 0;
    char buffer[65536];
    while (read(children_pipe[0], buffer, sizeof buffer) > 0) {
    }
    int status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
      say_ended(running_[child], status);
      running_.erase(child);
    }
    if ((wanted[0].revents & (POLLIN | POLLHUP)) == 0) return true;
    const auto count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) {
      for (const auto& [child, id] : running_)
        kill(child, SIGKILL);
      _exit(0);
    }
    pending_.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos;) {
      const auto asked = parse_request(pending_.substr(0, end));
      pending_.erase(0, end + 1);
      if (!asked) continue;
      const pid_t server = getpid();
      const pid_t child = fork();
      if (child == 0) {
        is_copy_ = true;
        become(preprocessor, *asked, server);
        return true;
      }
      if (child < 0) {
        say_ended(asked->id, SIGKILL);
        continue;
      }
      running_[child] = asked->id;
      say_started(asked->id, child);
    }
    return true;
  }

  /// Makes of this copy the compiler of one source.
  void become(clang::Preprocessor& preprocessor, const request& asked, pid_t server) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server) _exit(1);
    signal(SIGCHLD, SIG_DFL);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int log = open(asked.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(log < 0 ? nothing : log, STDERR_FILENO);
    if (chdir(asked.folder.c_str()) != 0) {
      std::fprintf(stderr, "%s: %s\n", asked.folder.c_str(), std::strerror(errno));
      _exit(1);
    }
    into_.object = asked.output;
    into_.depfile = asked.depfile;
    auto& headers = preprocessor.getHeaderSearchInfo();
    for (const auto& folder : asked.includes) {
      if (const auto entry = compiler_.getFileManager().getOptionalDirectoryRef(folder)) {
        headers.AddSearchPath({*entry, clang::SrcMgr::C_User, false}, true);
      }
    }
    auto& diagnostics = compiler_.getDiagnosticOpts();
    diagnostics.Warnings.insert(diagnostics.Warnings.end(), asked.warnings.begin(),
                                asked.warnings.end());
    clang::ProcessWarningOptions(compiler_.getDiagnostics(), diagnostics);
    into_.is_device_code = asked.is_gpu;
    if (asked.is_gpu) compile_device_code();
    std::string text;
    for (const auto& define : asked.defines) {
      const auto equals = define.find('=');
      text += "#define " + define.substr(0, equals) + " " +
              (equals == std::string::npos ? "1" : define.substr(equals + 1)) + "\n";
    }
    text += "#include \"" + asked.source + "\"\n";
    auto& sources = compiler_.getSourceManager();
    preprocessor.addPPCallbacks(std::make_unique<read_files>(sources, into_));
    const auto buffer =
        sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(text, "<opsmith>"));
    preprocessor.EnterSourceFile(buffer, nullptr, clang::SourceLocation());
  }

  /// As deviceCodeFlags of electron/engine/compile/virtual-gpu/flags.ts, which says why.
  /// -fdeclspec is a flag of the server's own: words become keywords when clang starts.
  void compile_device_code() {
    compiler_.getDiagnostics().setIgnoreAllWarnings(true);
    auto& language = compiler_.getLangOpts();
    language.setTrivialAutoVarInit(clang::LangOptions::TrivialAutoVarInitKind::Zero);
    language.TrivialAutoVarInitMaxSize = 64;
    auto& code = compiler_.getCodeGenOpts();
    code.RelaxedAliasing = true;
    code.setFiniteLoops(clang::CodeGenOptions::FiniteLoopsKind::Never);
    code.EnableNoundefAttrs = false;
  }

  clang::CompilerInstance& compiler_;
  result& into_;
  const names& shared_;
  const std::string make_names_;
  std::map<pid_t, long long> running_;
  std::string pending_;
  bool is_copy_ = false;
};

class serve_action : public clang::EmitObjAction {
 public:
  serve_action(result& into, const names& shared, std::string make_names)
      : into_(into), shared_(shared), make_names_(std::move(make_names)) {}

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    // The preprocessor owns it.
    compiler.getPreprocessor().AddPragmaHandler(
        new serve_pragma(compiler, into_, shared_, make_names_));
    return EmitObjAction::BeginSourceFileAction(compiler);
  }

 private:
  result& into_;
  const names& shared_;
  const std::string make_names_;
};

bool write_file(const std::string& file, const char* data, std::size_t size) {
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return false;
  const bool good = std::fwrite(data, 1, size, out) == size;
  return std::fclose(out) == 0 && good;
}

/// As `-MD` writes it: a rule of make.
std::string depfile_text(const result& made) {
  std::string text = "object:";
  for (const auto& file : made.read) {
    text += " \\\n  ";
    for (const char letter : file) {
      if (letter == ' ' || letter == '#' || letter == '\\') text += '\\';
      if (letter == '$') text += '$';
      text += letter;
    }
  }
  return text + "\n";
}

int run(int argc, char** argv) {
  std::string shared_file;
  std::string make_names;
  result made;
  int next = 1;
  if (next + 1 < argc && std::strcmp(argv[next], "--shared-code") == 0) {
    shared_file = argv[next + 1];
    next += 2;
  } else if (next + 2 < argc && std::strcmp(argv[next], "--make-shared-code") == 0) {
    make_names = argv[next + 1];
    made.object = argv[next + 2];
    next += 3;
  }
  if (next >= argc || std::strcmp(argv[next], "--") != 0) {
    std::fputs("opsmith_compile_server [--shared-code NAMES] -- CLANG FLAGS...\n", stderr);
    return 2;
  }
  const std::vector<const char*> arguments(argv + next + 1, argv + argc);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();

  clang::CreateInvocationOptions options;
  options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions());
  auto invocation = clang::createInvocation(arguments, options);
  if (!invocation) return 2;
  // Never destroyed: that would write to every page that a copy shares with the server.
  auto& compiler = *new clang::CompilerInstance;
  compiler.setInvocation(std::move(invocation));
  compiler.createDiagnostics();
  if (!compiler.hasDiagnostics()) return 2;
  compiler.createFileManager();
  compiler.getFrontendOpts().DisableFree = true;
  auto& code = compiler.getCodeGenOpts();
  code.ClearASTBeforeBackend = false;
  // Constructors of both kinds, so that either is found in the library of shared code.
  code.CXXCtorDtorAliases = false;

  const auto shared = read_names(shared_file);
  code.PassBuilderCallbacks.emplace_back([&](llvm::PassBuilder& builder) {
    if (!make_names.empty()) {
      keep_cold_functions(builder, make_names);
      return;
    }
    drop_shared_functions(builder, shared);
    optimize_kernels_alone(builder, made.is_device_code);
  });
  llvm::SmallVector<char, 0> object;
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  serve_action action(made, shared, make_names);
  const bool good = compiler.ExecuteAction(action) && !object.empty();
  if (!good) return 1;
  if (!made.depfile.empty()) {
    const auto text = depfile_text(made);
    if (!write_file(made.depfile, text.data(), text.size())) return 1;
  }
  return write_file(made.object, object.data(), object.size()) ? 0 : 1;
}

}  // namespace
}  // namespace opsmith::compile_server

int main(int argc, char** argv) {
  const int status = opsmith::compile_server::run(argc, argv);
  std::fflush(nullptr);
  _exit(status);
}
