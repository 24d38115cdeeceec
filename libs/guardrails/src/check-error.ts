/**
 * Reports that a check could not decide. The message is public: it contains no part of the text, no
 * address and no credential.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError';
}
