import { spliceForm, spliceModel, type JsonObject } from '@gw/providers';
import { applyParams } from '@gw/routing';
import { parseJsonObject } from '../../http/json-body';
import type { Upstream } from '../answer';
import type { Exchange } from '../exchange';
import { withoutSlug } from './targeting';

export interface BuiltBody {
  readonly body: Buffer;
  /** The client's body after parameter rules; null where it was not parsed. */
  readonly clientBody: JsonObject | null;
  /** Set when the body was made anew. */
  readonly contentType: string | null;
}

/** The client's bytes wherever nothing has to change; a small splice for the model; parsed only for rules and translation. */
export function bodyOf(exchange: Exchange, upstream: Upstream): BuiltBody {
  const { target, support } = upstream;
  const translator = support?.via === 'translated' ? support.translator : null;
  if (translator === null && !mustRead(exchange, target.hasParamRules)) return spliced(exchange);
  const original = exchange.json(parseJsonObject);
  const ruled = withPlainModel(applyParams(original, target));
  if (translator !== null) return rebuilt(ruled, translator.request(ruled));
  return ruled === original && !isDoubtful(exchange) ? spliced(exchange) : rebuilt(ruled, ruled);
}

const rebuilt = (clientBody: JsonObject, sent: JsonObject): BuiltBody => ({
  body: Buffer.from(JSON.stringify(sent)),
  clientBody,
  contentType: 'application/json',
});

const mustRead = (exchange: Exchange, hasRules: boolean): boolean =>
  exchange.body.length > 0 &&
  exchange.scan !== null &&
  !exchange.scan.isForm &&
  (hasRules || isDoubtful(exchange));

/**
 * A body that two readers could read differently, such as one with two models: a built-in route sends what was checked, not
 * what was received.
 */
const isDoubtful = ({ scan, route }: Exchange): boolean =>
  scan?.needsParse === true && route.kind !== 'passthrough';

/** The provider is asked for `model`, not for `@slug/model`. */
function withPlainModel(body: JsonObject): JsonObject {
  const { model } = body;
  if (typeof model !== 'string') return body;
  const plain = withoutSlug(model);
  return plain === model ? body : { ...body, model: plain };
}

function spliced({ scan, body }: Exchange): BuiltBody {
  if (scan?.modelSpan && scan.model?.startsWith('@')) {
    const model = withoutSlug(scan.model);
    if (model !== scan.model) {
      const splice = scan.isForm ? spliceForm : spliceModel;
      return { body: splice(body, scan.modelSpan, model), clientBody: null, contentType: null };
    }
  }
  return { body, clientBody: null, contentType: null };
}
