import { lacksOf, refusalOfLacks, type Lack } from '@gw/providers';
import { demandsOf } from '@gw/routing';
import { parseJsonObject } from '../bodies/json-body';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import { ruledBody } from './request/request-body';

/**
 * Texts by requested capability: a body that requests the capability contains at least one of them.
 * Bodies without any of them need not be parsed.
 */
const SIGNS: Readonly<Record<Lack, readonly string[]>> = {
  image: ['image'],
  tools: ['"tools"', '"functions"'],
  jsonSchema: ['json_schema', 'responseSchema', 'responseJsonSchema'],
};

/**
 * Refuses a target whose model does not support the images, tools or JSON schema of the request,
 * without a call, when the config has other targets. When the config has one target, its provider
 * decides. Throws `unsupported_by_provider`.
 */
export function refuseLacking(context: RequestContext, { model, provider, target }: Upstream): void {
  const { body, config, scan } = context;
  if (config === null || config.targets.length === 1 || model === null) return;
  if (scan === null || scan.isForm === true) return;
  const lacks = lacksOf(provider, model);
  if (!lacks.some((lack) => SIGNS[lack].some((sign) => body.includes(sign)))) return;
  const demands = demandsOf(ruledBody(context.json(parseJsonObject), target));
  const refusal = refusalOfLacks(provider, model, demands);
  if (refusal !== null) throw refusal;
}
