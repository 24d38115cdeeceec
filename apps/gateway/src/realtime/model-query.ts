/** Query parameters that name the model of a realtime URL; Azure names the deployment. */
const NAMES = ['model', 'deployment'] as const;

export function modelInQuery(query: URLSearchParams): string | null {
  for (const name of NAMES) {
    const value = query.get(name);
    if (value !== null && value !== '') return value;
  }
  return null;
}

/**
 * Returns the query with every model parameter set to the checked model, so that none can name
 * another. `query` has its leading `?` or is empty; it is returned unchanged if all parameters
 * match.
 */
export function queryWithModel(query: string, model: string | null): string {
  if (model === null) return query;
  const requested = new URLSearchParams(query);
  const named = NAMES.filter((name) => requested.has(name));
  const isSame = named.every((name) => requested.getAll(name).every((value) => value === model));
  if (isSame && named.length > 0) return query;
  for (const name of named.length > 0 ? named : (['model'] as const)) requested.set(name, model);
  return `?${requested.toString()}`;
}
