#include "spare_room.h"

#include <functional>
#include <map>

#include <clang/AST/ASTContext.h>
#include <clang/AST/NestedNameSpecifier.h>
#include <clang/AST/Type.h>

namespace opsmith::compile_server {
namespace {

/// As many types of a class as a large source may add.
constexpr unsigned usual_types = 4000;

/// llvm::FoldingSet doubles its buckets when two things are in each; their number is a power of
/// two.
unsigned room_in_table(unsigned count) {
  unsigned full = 128;
  while (full < count)
    full *= 2;
  return full - count;
}

}  // namespace

void leave_room_for_types(clang::ASTContext& context) {
  using clang::QualType;
  using clang::Type;
  /// What makes a type of a class from one that no source has.
  const std::map<Type::TypeClass, std::function<void(QualType)>> makers = {
      {Type::Pointer, [&](QualType type) { context.getPointerType(type); }},
      {Type::LValueReference, [&](QualType type) { context.getLValueReferenceType(type); }},
      {Type::RValueReference, [&](QualType type) { context.getRValueReferenceType(type); }},
      {Type::FunctionProto, [&](QualType type) { context.getFunctionType(type, {}, {}); }},
      {Type::PackExpansion,
       [&](QualType type) { context.getPackExpansionType(type, std::nullopt, false); }},
      {Type::Elaborated,
       [&](QualType type) {
         context.getElaboratedType(clang::ElaboratedTypeKeyword::Typename, nullptr, type);
       }},
      {Type::Auto,
       [&](QualType type) { context.getAutoType(type, clang::AutoTypeKeyword::Auto, false); }},
      {Type::DependentName,
       [&](QualType type) {
         auto* scope =
             clang::NestedNameSpecifier::Create(context, nullptr, false, type.getTypePtr());
         context.getDependentNameType(clang::ElaboratedTypeKeyword::Typename, scope,
                                      &context.Idents.get("type"));
       }},
  };
  std::map<Type::TypeClass, unsigned> counts;
  for (const auto* type : context.getTypes())
    counts[type->getTypeClass()] += 1;
  // Deeper than templates are nested.
  constexpr unsigned depth = 10000;
  for (const auto& [type_class, make] : makers) {
    const unsigned count = counts[type_class];
    const unsigned room = room_in_table(count);
    if (room > usual_types || room > count / 4) continue;
    for (unsigned index = 0; index <= room; ++index)
      make(context.getTemplateTypeParmType(depth, index, false));
  }
}

}  // namespace opsmith::compile_server
