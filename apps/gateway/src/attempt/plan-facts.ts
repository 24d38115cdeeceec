import type { CompiledTarget, RequestFacts } from '@gw/routing';
import { parseJsonObject } from '../bodies/json-body';
import type { RequestContext } from '../core/request-context';
import { requestedModel } from '../core/requested-model';
import { endpointOf } from './endpoint';

/** The facts about one request that routing reads. */
export class PlanFacts implements RequestFacts {
  /** The parameters with the model of the path, so that each condition reads the same object. */
  private withPathModel: object | null = null;

  constructor(private readonly context: RequestContext) {}

  get metadata(): Readonly<Record<string, string>> {
    return this.context.metadata;
  }

  get pathname(): string {
    const { url, query } = this.context;
    return url.slice(0, url.length - query.length);
  }

  /**
   * Returns the parameters of the body; for a spooled body, only those that its scan found. A model
   * in the path takes precedence.
   */
  params(): object | undefined {
    const { call } = this.context.route;
    if (call === null) return paramsOfBody(this.context);
    return (this.withPathModel ??= { ...paramsOfBody(this.context), model: call.model });
  }

  header(name: string): string | undefined {
    const { headers } = this.context.req;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  model(): string | null {
    return requestedModel(this.context);
  }

  caller(): string {
    return this.context.principal?.key.id ?? '';
  }

  workspace(): string {
    return this.context.principal?.workspace.id ?? '';
  }

  endpoint(target: CompiledTarget): string {
    return endpointOf(this.context, target);
  }
}

function paramsOfBody(context: RequestContext): object | undefined {
  const { scan, spooled } = context;
  if (scan === null || scan.isForm) return undefined;
  if (spooled === null) return context.json(parseJsonObject);
  return {
    ...(scan.model !== null && { model: scan.model }),
    ...(scan.stream !== null && { stream: scan.stream }),
  };
}
