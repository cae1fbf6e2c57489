#include "binding/guard.h"

namespace opsmith {

Napi::Error to_error(Napi::Env env, const Failure& failure) {
  auto error = Napi::Error::New(env, failure.message);
  auto fields = error.Value();
  fields.Set("code", enum_text(failure.code));
  if (!failure.hint.empty()) fields.Set("hint", failure.hint);
  if (!failure.detail.empty() && failure.detail != failure.message) {
    fields.Set("detail", failure.detail);
  }
  if (!failure.file.empty()) {
    fields.Set("file", failure.file);
    fields.Set("line", failure.line);
    if (failure.column > 0) fields.Set("column", failure.column);
  }
  return error;
}

}  // namespace opsmith
