// SPDX-License-Identifier: Apache-2.0
// The C edge. Every entry point is
//
//   return api::guard("doca_mmap_start", [&] { return api::need(mmap).map->start(); });
//
// guard turns a Status and any exception into a code and logs the cause, once. need turns a
// pointer that is NULL, or that names no object that is alive, into INVALID_VALUE.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "core/log.h"
#include "core/status.h"

namespace warpnic::api {

/// Carries a Status out of the middle of an expression.
struct Failure {
  Status status;
};

[[noreturn]] inline void refuse_null() {
  throw Failure{Status(DOCA_ERROR_INVALID_VALUE, "an argument is NULL that must not be")};
}

/// For outputs and texts.
template <class T>
T& need_not_null(T* pointer) {
  if (pointer == nullptr) refuse_null();
  return *pointer;
}

/// The objects of one kind that a program holds.
template <class T>
class Objects {
 public:
  /// Created here and destroyed here ...
  static T* add(std::unique_ptr<T> object) {
    enter(object.get());
    return object.release();
  }
  static bool is_alive(const T* pointer) {
    std::lock_guard lock(mutex());
    return all().count(pointer) != 0;
  }
  static void remove(T* pointer) {
    leave(pointer);
    delete pointer;
  }
  /// ... or part of another object.
  static void enter(const T* part) {
    std::lock_guard lock(mutex());
    all().insert(part);
  }
  static void leave(const T* part) noexcept {
    std::lock_guard lock(mutex());
    all().erase(part);
  }

 private:
  // Never destroyed: programs may call from destructors of their own.
  static std::mutex& mutex() {
    static auto* const instance = new std::mutex;
    return *instance;
  }
  static std::unordered_set<const T*>& all() {
    static auto* const instance = new std::unordered_set<const T*>;
    return *instance;
  }
};

template <class T>
T& need(T* pointer) {
  need_not_null(pointer);
  if (!Objects<std::remove_const_t<T>>::is_alive(pointer)) {
    throw Failure{Status(DOCA_ERROR_INVALID_VALUE,
                         "an argument names no object that is alive; was it destroyed already?")};
  }
  return *pointer;
}

template <class Body>
Status run(Body&& body) noexcept {
  try {
    return body();
  } catch (Failure& failure) {
    return std::move(failure.status);
  } catch (const std::bad_alloc&) {
    return Status(DOCA_ERROR_NO_MEMORY, "no host memory");
  } catch (const std::exception& error) {
    try {
      return Status(DOCA_ERROR_UNEXPECTED, error.what());
    } catch (...) {
      return Status(DOCA_ERROR_NO_MEMORY, "");
    }
  } catch (...) {
    return Status(DOCA_ERROR_UNEXPECTED, "");
  }
}

template <class Body>
doca_error_t guard(const char* call, Body&& body) noexcept {
  const Status status = run(body);
  if (status.ok()) return DOCA_SUCCESS;
  try {
    log_error(std::string(call) + ": " + status.cause());
  } catch (...) {
  }
  return status.code();
}

/// For calls whose refusal is an answer, such as "is this supported?".
template <class Body>
doca_error_t guard_question(const char* call, Body&& body) noexcept {
  const Status status = run(body);
  if (status.ok()) return DOCA_SUCCESS;
  try {
    log_info(std::string(call) + ": " + status.cause());
  } catch (...) {
  }
  return status.code();
}

}  // namespace warpnic::api
