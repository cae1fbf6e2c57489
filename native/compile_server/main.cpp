// The compile server: clang, stopped after libtorch's headers. Each compile is a copy of this
// process (a fork) that goes on with the user's source, so no build reads a header, or instantiates
// a template, that is the same in every build; a compiler that crashes takes nothing with it but
// its own copy. Where the headers come from a precompiled one, clang reads of it what is asked for;
// the server answers at once and reads the rest, for all copies to come, while nobody asks.
//
//   opsmith_compile_server [--shared-code NAMES | --device-code NAMES] -- CLANG FLAGS...
//   -c PRELUDE.cpp -o unused.o
//   opsmith_compile_server --make-shared-code NAMES OBJECT -- CLANG FLAGS... -c PRELUDE.cpp -o
//   unused.o
//   opsmith_compile_server --precompile NAMES HEADER.pch -- CLANG FLAGS... -x c++-header HEADER.h
//
// PRELUDE.cpp includes the headers and ends in `#pragma opsmith_serve`. Requests come by stdin
// (requests.h), answers go to stdout; it ends when stdin does. Built against the libraries of the
// clang it stands for.

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/xxhash.h>

#include "compiler.h"
#include "divide.h"
#include "often.h"
#include "precompile.h"
#include "requests.h"
#include "shared_code.h"
#include "spare_room.h"

namespace opsmith::compile_server {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const double started = seconds();

/// How long the server, when it has more to read, waits for another request after one.
constexpr int pause_milliseconds = 300;

/// The exit code of a copy that has sent its answer itself.
constexpr int has_answered = 100;

/// About as much memory as a small compile takes.
constexpr std::size_t usual_memory = std::size_t{24} << 20;
constexpr std::size_t page = 4096;

/// What this process is to write, once it is a copy that compiles.
struct result {
  long long id = 0;
  int answers = -1;  ///< the server's stdout; -1 in the server
  std::string object;
  std::string depfile;
  std::vector<std::string> read;
  std::vector<std::string> join;
  source_code source;
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

/// Starts the program of a request, its output in the log.
/// @returns its process, negative where it could not be started
pid_t start_program(const request& asked) {
  std::vector<char*> arguments;
  for (const auto& word : asked.command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // The server's allocator has settings that a short program is slower with.
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "GLIBC_TUNABLES=", 15) != 0) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, asked.folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, asked.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = -1;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -1;
}

/// Lets the system give this copy memory that it keeps: the first touch of a page is slow.
void touch_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  auto* memory = static_cast<volatile char*>(std::malloc(usual_memory));
  if (memory == nullptr) return;
  for (std::size_t i = 0; i < usual_memory; i += page)
    memory[i] = 0;
  std::free(const_cast<char*>(memory));
}

/// A line of a pipe; empty where the other end was closed.
std::string read_line(int pipe_end) {
  std::string line;
  char buffer[4096];
  ssize_t count = 0;
  while ((line.empty() || line.back() != '\n') &&
         (count = read(pipe_end, buffer, sizeof buffer)) > 0)
    line.append(buffer, static_cast<std::size_t>(count));
  return line;
}

int children_pipe[2];
void on_child(int) {
  const char byte = 0;
  [[maybe_unused]] const auto written = write(children_pipe[1], &byte, 1);
}

/// What a process of the server's works on.
struct work {
  long long id;
  bool is_copy;  ///< of the server; another program otherwise
};

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
    signal(SIGPIPE, SIG_IGN);
    say_ready(seconds() - started);
    // In between, requests are answered: a copy made then knows fewer of the shared functions.
    mark_shared_functions(compiler_, shared_, [&] {
      bool served = serve(preprocessor, 0);
      // Copies have the cores to themselves; the next source of a build comes soon after one ends.
      while (!is_copy_ && (!running_.empty() || served))
        served = serve(preprocessor, running_.empty() ? pause_milliseconds : -1);
      return is_copy_;
    });
    if (!is_copy_) leave_room_for_types(compiler_.getASTContext());
    while (!is_copy_) {
      // Not at once: what was just compiled is linked and loaded first.
      const bool is_wanted = waiting_ == 0 && running_.empty();
      const bool served = serve(preprocessor, is_wanted ? pause_milliseconds : -1);
      if (is_wanted && !served && !is_copy_) prepare_copy(preprocessor);
    }
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
      if (child == waiting_) forget_waiting();
      const auto ended = running_.find(child);
      if (ended == running_.end()) continue;
      const auto [id, is_copy] = ended->second;
      if (!is_copy || !WIFEXITED(status) || WEXITSTATUS(status) != has_answered)
        say_ended(id, status);
      running_.erase(ended);
    }
    if ((wanted[0].revents & (POLLIN | POLLHUP)) == 0) return true;
    const auto count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) {
      for (const auto& [child, unended] : running_)
        kill(child, SIGKILL);
      _exit(0);
    }
    pending_.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos;) {
      const auto line = pending_.substr(0, end + 1);
      pending_.erase(0, end + 1);
      const auto asked = parse_request(line);
      if (!asked) continue;
      const pid_t server = getpid();
      pid_t child = -1;
      if (!asked->command.empty()) {
        child = start_program(*asked);
      } else {
        child = give_to_waiting(line);
        if (child < 0) child = fork();
      }
      if (child == 0) {
        is_copy_ = true;
        become(preprocessor, *asked, server);
        return true;
      }
      if (child < 0) {
        say_ended(asked->id, SIGKILL);
        continue;
      }
      running_[child] = {asked->id, asked->command.empty()};
      say_started(asked->id, child);
    }
    return true;
  }

  /// Makes a copy that waits for its source: making it, and the first touch of its memory, are a
  /// fifth of a small compile.
  void prepare_copy(clang::Preprocessor& preprocessor) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t server = getpid();
    const pid_t child = fork();
    if (child == 0) {
      is_copy_ = true;
      close(ends[1]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      touch_memory();
      const auto asked = parse_request(read_line(ends[0]));
      close(ends[0]);
      if (!asked) _exit(0);
      become(preprocessor, *asked, server);
      return;
    }
    close(ends[0]);
    waiting_ = child < 0 ? 0 : child;
    waiting_end_ = ends[1];
    if (child < 0) close(ends[1]);
  }

  /// @returns the copy that compiles it; negative where none waits
  pid_t give_to_waiting(const std::string& line) {
    if (waiting_ == 0) return -1;
    const pid_t child = waiting_;
    const auto written = write(waiting_end_, line.data(), line.size());
    forget_waiting();
    if (written == static_cast<ssize_t>(line.size())) return child;
    kill(child, SIGKILL);
    return -1;
  }

  void forget_waiting() {
    close(waiting_end_);
    waiting_ = 0;
  }

  /// Makes of this copy the compiler of one source.
  void become(clang::Preprocessor& preprocessor, const request& asked, pid_t server) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server) _exit(1);
    signal(SIGCHLD, SIG_DFL);
    into_.id = asked.id;
    into_.answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
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
    into_.join = asked.join;
    into_.source.is_device_code = asked.is_gpu;
    if (!asked.join.empty()) into_.source.divided_as = std::to_string(llvm::xxHash64(asked.source));
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
  std::map<pid_t, work> running_;
  pid_t waiting_ = 0;  ///< a copy that waits for its source; 0 for none
  int waiting_end_ = -1;
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

bool write_depfile(const result& made) {
  if (made.depfile.empty()) return true;
  const auto text = depfile_text(made);
  return write_file(made.depfile, text.data(), text.size());
}

/// Sends the answer before this copy frees its memory, which takes longer.
/// @returns the exit code to end with: has_answered if the answer was sent
int end_with(const result& made, int exit_code) {
  if (made.answers < 0) return exit_code;
  const auto answer = ended_text(made.id, W_EXITCODE(exit_code, 0));
  const auto written = write(made.answers, answer.data(), answer.size());
  return written == static_cast<ssize_t>(answer.size()) ? has_answered : exit_code;
}

/// Writes the object of a module as clang does with -O0.
bool make_unoptimized(clang::CompilerInstance& compiler, llvm::Module& module,
                      const std::string& file) {
  auto code = compiler.getCodeGenOpts();
  code.OptimizationLevel = 0;
  code.PassBuilderCallbacks.clear();
  llvm::SmallVector<char, 0> object;
  clang::EmitBackendOutput(
      compiler.getDiagnostics(), compiler.getHeaderSearchOpts(), code, compiler.getTargetOpts(),
      compiler.getLangOpts(), compiler.getTarget().getDataLayoutString(), &module,
      clang::Backend_EmitObj, compiler.getFileManager().getVirtualFileSystemPtr(),
      std::make_unique<llvm::raw_svector_ostream>(object));
  return !compiler.getDiagnostics().hasErrorOccurred() &&
         write_file(file, object.data(), object.size());
}

int run(int argc, char** argv) {
  std::string shared_file;
  bool is_for_device_code = false;
  std::string make_names;
  std::string precompiled;
  result made;
  int next = 1;
  if (next + 1 < argc && (std::strcmp(argv[next], "--shared-code") == 0 ||
                          std::strcmp(argv[next], "--device-code") == 0)) {
    is_for_device_code = std::strcmp(argv[next], "--device-code") == 0;
    shared_file = argv[next + 1];
    next += 2;
  } else if (next + 2 < argc && std::strcmp(argv[next], "--make-shared-code") == 0) {
    make_names = argv[next + 1];
    made.object = argv[next + 2];
    next += 3;
  } else if (next + 2 < argc && std::strcmp(argv[next], "--precompile") == 0) {
    shared_file = argv[next + 1];
    precompiled = argv[next + 2];
    next += 3;
  }
  if (next >= argc || std::strcmp(argv[next], "--") != 0) {
    std::fputs(
        "opsmith_compile_server [--shared-code NAMES | --device-code NAMES |"
        " --make-shared-code NAMES OBJECT | --precompile NAMES HEADER.pch] -- CLANG FLAGS...\n",
        stderr);
    return 2;
  }
  const std::vector<const char*> arguments(argv + next + 1, argv + argc);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const auto known = read_names(shared_file);
  const auto shared = is_for_device_code ? of_device_code(known) : known;
  if (!precompiled.empty()) return precompile(arguments, without_hidden(shared), precompiled);

  auto* made_compiler = new_compiler(arguments);
  if (made_compiler == nullptr) return 2;
  // Never destroyed: that would write to every page that a copy shares with the server.
  auto& compiler = *made_compiler;
  auto& code = compiler.getCodeGenOpts();
  code.ClearASTBeforeBackend = false;
  // Constructors of both kinds, so that either is found in the library of shared code.
  code.CXXCtorDtorAliases = false;

  made.source.make_rest = [&](llvm::Module& module) {
    if (make_unoptimized(compiler, module, rest_object(made.object))) _exit(0);
    if (compiler.getDiagnostics().hasErrorOccurred()) _exit(1);
    // No fault of the source: as after a crash, it is compiled again in another way.
    std::abort();
  };
  made.source.make_all = [&](llvm::Module& module) {
    const bool good = make_unoptimized(compiler, module, made.object) && write_depfile(made);
    _exit(end_with(made, good ? 0 : 1));
  };
  code.PassBuilderCallbacks.emplace_back([&](llvm::PassBuilder& builder) {
    if (!make_names.empty()) {
      keep_shared_functions(builder, make_names);
      return;
    }
    drop_shared_functions(builder, shared);
    optimize_often(builder, made.source, shared);
  });
  llvm::SmallVector<char, 0> object;
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  serve_action action(made, shared, make_names);
  const bool good = compiler.ExecuteAction(action) && !object.empty();
  const bool is_divided = made.source.rest != 0;
  const auto file = is_divided ? often_object(made.object) : made.object;
  if (!good || !write_file(file, object.data(), object.size()) || !write_depfile(made)) {
    return end_with(made, 1);
  }
  return end_with(made, is_divided ? join_parts(made.source.rest, made.join, made.object) : 0);
}

}  // namespace
}  // namespace opsmith::compile_server

int main(int argc, char** argv) {
  const int status = opsmith::compile_server::run(argc, argv);
  std::fflush(nullptr);
  _exit(status);
}
