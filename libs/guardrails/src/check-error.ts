/**
 * The check could not decide. The message is public: it contains nothing of the text, addresses or
 * credentials.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError';
}
