/**
 * Every route of the app, used to distinguish a wrong method from a wrong path, and by specs that
 * check each route.
 */
export class RouteTable {
  private readonly methods = new Map<string, Set<string>>();
  private matchers: readonly (readonly [RegExp, ReadonlySet<string>])[] | null = null;

  add(methods: string | readonly string[], pattern: string): void {
    const known = this.methods.get(pattern) ?? new Set<string>();
    for (const method of typeof methods === 'string' ? [methods] : methods) known.add(method);
    this.methods.set(pattern, known);
    this.matchers = null;
  }

  /** `[method, pattern]` of every route. */
  all(): [method: string, pattern: string][] {
    return [...this.methods].flatMap(([pattern, methods]) =>
      [...methods].map((method): [string, string] => [method, pattern]),
    );
  }

  /**
   * Returns the sorted methods of the routes that match the path of `url`; wildcard routes do not
   * count.
   */
  methodsOf(url: string): string[] {
    const path = url.split('?', 1)[0] ?? '/';
    this.matchers ??= [...this.methods]
      .filter(([pattern]) => !pattern.includes('*'))
      .map(([pattern, methods]) => [matcherOf(pattern), methods]);
    const found = this.matchers.filter(([matcher]) => matcher.test(path));
    return [...new Set(found.flatMap(([, methods]) => [...methods]))].sort();
  }
}

function matcherOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

declare module 'fastify' {
  interface FastifyInstance {
    routeTable?: RouteTable;
  }
}
