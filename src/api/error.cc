// SPDX-License-Identifier: Apache-2.0
// doca_error.h: names and sentences of the codes.
#include "doca_error.h"

#include "api/number_of.h"

namespace {

bool is_code(const doca_error_t& error) {
  const int number = warpnic::api::number_of(error);
  return number >= DOCA_SUCCESS && number <= DOCA_ERROR_DEVICE_FATAL_ERROR;
}

}  // namespace

extern "C" {

const char* doca_error_get_name(doca_error_t error) {
  if (!is_code(error)) return "DOCA_ERROR (no such code)";
  switch (error) {
    case DOCA_SUCCESS: return "DOCA_SUCCESS";
    case DOCA_ERROR_UNKNOWN: return "DOCA_ERROR_UNKNOWN";
    case DOCA_ERROR_NOT_PERMITTED: return "DOCA_ERROR_NOT_PERMITTED";
    case DOCA_ERROR_IN_USE: return "DOCA_ERROR_IN_USE";
    case DOCA_ERROR_NOT_SUPPORTED: return "DOCA_ERROR_NOT_SUPPORTED";
    case DOCA_ERROR_AGAIN: return "DOCA_ERROR_AGAIN";
    case DOCA_ERROR_INVALID_VALUE: return "DOCA_ERROR_INVALID_VALUE";
    case DOCA_ERROR_NO_MEMORY: return "DOCA_ERROR_NO_MEMORY";
    case DOCA_ERROR_INITIALIZATION: return "DOCA_ERROR_INITIALIZATION";
    case DOCA_ERROR_TIME_OUT: return "DOCA_ERROR_TIME_OUT";
    case DOCA_ERROR_SHUTDOWN: return "DOCA_ERROR_SHUTDOWN";
    case DOCA_ERROR_CONNECTION_RESET: return "DOCA_ERROR_CONNECTION_RESET";
    case DOCA_ERROR_CONNECTION_ABORTED: return "DOCA_ERROR_CONNECTION_ABORTED";
    case DOCA_ERROR_CONNECTION_INPROGRESS: return "DOCA_ERROR_CONNECTION_INPROGRESS";
    case DOCA_ERROR_NOT_CONNECTED: return "DOCA_ERROR_NOT_CONNECTED";
    case DOCA_ERROR_NO_LOCK: return "DOCA_ERROR_NO_LOCK";
    case DOCA_ERROR_NOT_FOUND: return "DOCA_ERROR_NOT_FOUND";
    case DOCA_ERROR_IO_FAILED: return "DOCA_ERROR_IO_FAILED";
    case DOCA_ERROR_BAD_STATE: return "DOCA_ERROR_BAD_STATE";
    case DOCA_ERROR_UNSUPPORTED_VERSION: return "DOCA_ERROR_UNSUPPORTED_VERSION";
    case DOCA_ERROR_OPERATING_SYSTEM: return "DOCA_ERROR_OPERATING_SYSTEM";
    case DOCA_ERROR_DRIVER: return "DOCA_ERROR_DRIVER";
    case DOCA_ERROR_UNEXPECTED: return "DOCA_ERROR_UNEXPECTED";
    case DOCA_ERROR_ALREADY_EXIST: return "DOCA_ERROR_ALREADY_EXIST";
    case DOCA_ERROR_FULL: return "DOCA_ERROR_FULL";
    case DOCA_ERROR_EMPTY: return "DOCA_ERROR_EMPTY";
    case DOCA_ERROR_IN_PROGRESS: return "DOCA_ERROR_IN_PROGRESS";
    case DOCA_ERROR_TOO_BIG: return "DOCA_ERROR_TOO_BIG";
    case DOCA_ERROR_AUTHENTICATION: return "DOCA_ERROR_AUTHENTICATION";
    case DOCA_ERROR_BAD_CONFIG: return "DOCA_ERROR_BAD_CONFIG";
    case DOCA_ERROR_SKIPPED: return "DOCA_ERROR_SKIPPED";
    case DOCA_ERROR_DEVICE_FATAL_ERROR: return "DOCA_ERROR_DEVICE_FATAL_ERROR";
  }
  __builtin_unreachable();
}

const char* doca_error_get_descr(doca_error_t error) {
  if (!is_code(error)) return "This number is not an error code of the library";
  switch (error) {
    case DOCA_SUCCESS: return "Success";
    case DOCA_ERROR_UNKNOWN: return "The cause is not known";
    case DOCA_ERROR_NOT_PERMITTED: return "The operation is not permitted";
    case DOCA_ERROR_IN_USE: return "The object is still in use";
    case DOCA_ERROR_NOT_SUPPORTED: return "This is not supported here";
    case DOCA_ERROR_AGAIN: return "Not possible right now; try again";
    case DOCA_ERROR_INVALID_VALUE: return "An argument is invalid";
    case DOCA_ERROR_NO_MEMORY: return "Not enough memory";
    case DOCA_ERROR_INITIALIZATION: return "A part of the library could not be initialized";
    case DOCA_ERROR_TIME_OUT: return "It took too long";
    case DOCA_ERROR_SHUTDOWN: return "It is shutting down";
    case DOCA_ERROR_CONNECTION_RESET: return "The peer reset the connection";
    case DOCA_ERROR_CONNECTION_ABORTED: return "The connection was aborted";
    case DOCA_ERROR_CONNECTION_INPROGRESS: return "The connection is still being made";
    case DOCA_ERROR_NOT_CONNECTED: return "There is no connection";
    case DOCA_ERROR_NO_LOCK: return "A lock could not be taken";
    case DOCA_ERROR_NOT_FOUND: return "No such object";
    case DOCA_ERROR_IO_FAILED: return "Input or output failed";
    case DOCA_ERROR_BAD_STATE: return "The call does not fit the state of the object";
    case DOCA_ERROR_UNSUPPORTED_VERSION: return "The version is not supported";
    case DOCA_ERROR_OPERATING_SYSTEM: return "A call of the operating system failed";
    case DOCA_ERROR_DRIVER: return "A driver or CUDA failed";
    case DOCA_ERROR_UNEXPECTED: return "Something unexpected happened";
    case DOCA_ERROR_ALREADY_EXIST: return "The object exists already";
    case DOCA_ERROR_FULL: return "There is no room left";
    case DOCA_ERROR_EMPTY: return "There is nothing there";
    case DOCA_ERROR_IN_PROGRESS: return "The operation is still going on";
    case DOCA_ERROR_TOO_BIG: return "The size is over the limit";
    case DOCA_ERROR_AUTHENTICATION: return "Authentication failed";
    case DOCA_ERROR_BAD_CONFIG: return "The configuration is not valid";
    case DOCA_ERROR_SKIPPED: return "The operation was skipped";
    case DOCA_ERROR_DEVICE_FATAL_ERROR: return "The device has a fatal error";
  }
  __builtin_unreachable();
}

}  // extern "C"
