/** The check could not decide. The message is public: it holds nothing of the text, of addresses or of credentials. */
export class CheckError extends Error {
  override readonly name = 'CheckError';
}
