/** Why the product cannot start or go on. The message is one line that names the cause, for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
