/**
 * The reason why the product cannot start or continue: one line for the operator that names the
 * cause.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
