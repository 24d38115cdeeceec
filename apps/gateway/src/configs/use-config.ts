import type { RequestContext } from '../core/request-context';
import type { ResolvedConfig } from './configs';

/** Sets the config that routes the request. */
export function useConfig(context: RequestContext, { id, compiled, source }: ResolvedConfig): void {
  context.config = compiled;
  context.configId = id;
  context.configSource = source;
}
