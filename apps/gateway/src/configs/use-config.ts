import type { RequestContext } from '../core/request-context';
import type { ResolvedConfig } from './configs';

/** The request goes where this config says. */
export function useConfig(context: RequestContext, { id, compiled, source }: ResolvedConfig): void {
  context.config = compiled;
  context.configId = id;
  context.configSource = source;
}
