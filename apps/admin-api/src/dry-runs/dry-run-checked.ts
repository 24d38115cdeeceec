/** Ends the transaction of a dry run that nothing refused, and everything that would come after its commit. */
export class DryRunChecked extends Error {
  override readonly name = 'DryRunChecked';
}
