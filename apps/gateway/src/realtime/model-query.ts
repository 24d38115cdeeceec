/** Names under which a realtime address takes its model; Azure calls it the deployment. */
const NAMES = ['model', 'deployment'] as const;

export function modelInQuery(query: URLSearchParams): string | null {
  for (const name of NAMES) {
    const value = query.get(name);
    if (value !== null && value !== '') return value;
  }
  return null;
}

/**
 * The query (with its leading `?`, or empty) with every name of the model set to the one that was checked, so that none can name
 * another; unchanged where it says so already.
 */
export function queryWithModel(query: string, model: string | null): string {
  if (model === null) return query;
  const requested = new URLSearchParams(query);
  const named = NAMES.filter((name) => requested.has(name));
  const isSaid = named.every((name) => requested.getAll(name).every((value) => value === model));
  if (isSaid && named.length > 0) return query;
  for (const name of named.length > 0 ? named : (['model'] as const)) requested.set(name, model);
  return `?${requested.toString()}`;
}
