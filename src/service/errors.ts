// The service's errors: the codes with their fixed names, and the error that carries one (E2, E5).

import { TercetError } from "../schema/errors.ts";

/** Every error code with its name, which is the message in the envelope. */
export const errorNames = Object.freeze({
  100: "Internal Server Error",
  104: "Method Not Found",
  107: "Invalid Method Name",
  300: "Authorisation Failed - Invalid Login",
  308: "Unable to Load Batch",
  310: "Invalid Method Parameters",
  311: "Invalid Search Parameter Format",
});

/** The number of an error in a response, such as 311. */
export type ErrorCode = keyof typeof errorNames;

/** The failure of an operation. `data` is the reason; `message` combines the code's fixed name with it. */
export class ServiceError extends TercetError {
  override readonly name = "ServiceError";
  /** The contract's number: a key of {@link errorNames}. */
  override readonly code: ErrorCode;
  readonly data: string;

  constructor(code: ErrorCode, data: string, options?: ErrorOptions) {
    super(`${errorNames[code]}: ${data}`, options);
    this.code = code;
    this.data = data;
  }
}
