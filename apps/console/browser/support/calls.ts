import type { Page, Request } from 'playwright-core';

interface Call {
  readonly path: string;
  readonly sentAt: number;
  /** End of the call; null while it is in progress. */
  endedAt: number | null;
}

/** Records the calls of a page to the admin API. */
export class Calls {
  private calls: Call[] = [];

  /** Starts to record the calls of a page. */
  watch(page: Page): void {
    const byRequest = new Map<Request, Call>();
    const end = (request: Request): void => {
      const call = byRequest.get(request);
      if (call !== undefined) call.endedAt = performance.now();
    };
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/v1/') && pathname !== '/health') return;
      const call = { path: pathname, sentAt: performance.now(), endedAt: null };
      byRequest.set(request, call);
      this.calls.push(call);
    });
    page.on('requestfinished', end);
    page.on('requestfailed', end);
  }

  forget(): void {
    this.calls = [];
  }

  /** Paths of the calls in order, without streams. */
  get paths(): readonly string[] {
    return this.calls.map(({ path }) => path).filter((path) => !path.endsWith('/logs/tail'));
  }

  /** Paths of the calls in progress. */
  get open(): readonly string[] {
    return this.calls.filter(({ endedAt }) => endedAt === null).map(({ path }) => path);
  }

  /** Calls made before every matching path had ended once. */
  untilEnded(matching: RegExp): Calls {
    const firstEnds = new Map<string, number>();
    for (const { path, endedAt } of this.calls)
      if (matching.test(path) && !firstEnds.has(path)) firstEnds.set(path, endedAt ?? Infinity);
    const end = Math.max(...firstEnds.values());
    const earlier = new Calls();
    earlier.calls = this.calls.filter(({ sentAt }) => sentAt < end);
    return earlier;
  }

  /**
   * Length of the longest chain of calls in which each was sent after the previous one had ended.
   */
  get series(): number {
    const depths: { readonly endedAt: number; readonly depth: number }[] = [];
    for (const { sentAt, endedAt } of this.calls) {
      const before = depths.filter((call) => call.endedAt <= sentAt).map(({ depth }) => depth);
      depths.push({ endedAt: endedAt ?? Infinity, depth: 1 + Math.max(0, ...before) });
    }
    return Math.max(0, ...depths.map(({ depth }) => depth));
  }
}
