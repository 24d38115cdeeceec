/**
 * Names of providers that have shut down, by id. Requests that name them are refused with a message
 * that says so.
 */
const RETIRED: ReadonlyMap<string, string> = new Map([
  ['anyscale', 'Anyscale Endpoints'],
  ['palm', 'Google PaLM'],
]);

/** Returns why the provider is refused, or null when it is not a retired one. */
export function retiredMessage(id: string): string | null {
  const name = RETIRED.get(id);
  return name === undefined
    ? null
    : `The provider ${id} (${name}) is retired: its service has shut down. Choose another provider.`;
}
