#include "runtime/operator_check/finding_text.h"

namespace opsmith {
namespace {

// Fields one after the other, each behind its length: "5:hello".
void put(std::string& text, const std::string& field) {
  text += std::to_string(field.size()) + ":" + field;
}

class Fields {
 public:
  explicit Fields(const std::string& text) : text_(text) {}

  std::string next() {
    const auto colon = text_.find(':', at_);
    const auto size = std::stoull(text_.substr(at_, colon - at_));
    at_ = colon + 1 + size;
    return text_.substr(colon + 1, size);
  }
  int64_t number() { return std::stoll(next()); }

 private:
  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

std::string packed(const OperatorCheckFinding& finding) {
  std::string text;
  put(text, enum_text(finding.status));
  for (const auto* field : {&finding.reason, &finding.advice, &finding.input})
    put(text, *field);
  put(text, finding.output ? std::to_string(*finding.output) : "");
  put(text, std::to_string(finding.index.size()));
  for (const int64_t place : finding.index)
    put(text, std::to_string(place));
  put(text, finding.is_elsewhere ? "1" : "0");
  put(text, finding.ended ? "1" : "0");
  if (!finding.ended) return text;
  put(text, std::to_string(finding.ended->signal));
  put(text, finding.ended->report);
  return text;
}

OperatorCheckFinding unpacked(const std::string& text) {
  Fields fields(text);
  OperatorCheckFinding finding;
  finding.status = enum_of<CheckStatus>(fields.next()).value_or(CheckStatus::skipped);
  for (auto* field : {&finding.reason, &finding.advice, &finding.input})
    *field = fields.next();
  if (const auto output = fields.next(); !output.empty()) finding.output = std::stoll(output);
  finding.index.resize(static_cast<size_t>(fields.number()));
  for (auto& place : finding.index)
    place = fields.number();
  finding.is_elsewhere = fields.next() == "1";
  if (fields.next() == "0") return finding;
  auto& end = finding.ended.emplace();
  end.signal = static_cast<int>(fields.number());
  end.report = fields.next();
  return finding;
}

}  // namespace opsmith
