import { GatewayError, exactNumbers, hasDuplicateMembers, withExactNumbers, type LossMode } from '@gw/kernel';
import type { CallAddress } from '@gw/dialects';
import type { BodySource } from '@gw/outbound';
import {
  spliceForm,
  spliceModel,
  type JsonObject,
  type ShallowScan,
  type TranslatedRequest,
  type Translator,
} from '@gw/providers';
import { ParamRules, type CompiledTarget } from '@gw/routing';
import { parseJsonObject, withinStack } from '../../bodies/json-body';
import type { SpooledBody, Splice } from '../../bodies/spool/spooled-body';
import type { Upstream } from '../../core/upstream';
import type { RequestView } from '../../core/request-context';
import { callAddress } from '../call-address';
import { isRenamed, withModelNames } from './model-names';
import { withoutSlug } from '../targeting';

export interface BuiltBody {
  readonly body: Buffer | BodySource;
  /** The client's body after parameter rules; null when it was not parsed. */
  readonly clientBody: JsonObject | null;
  /** Set when the body was rebuilt. */
  readonly contentType: string | null;
  /** Path of a translated call after the base URL, query included. */
  readonly path?: string;
  /** Members that the translation dropped; absent when the body was not translated. */
  readonly losses?: TranslatedRequest['losses'];
}

/**
 * Builds the body. Keeps the client's bytes where possible, splices in another model, and parses
 * only for parameter rules and translation.
 */
export function bodyOf(context: RequestView, upstream: Upstream): BuiltBody {
  if (context.spooled !== null) return spooledBody(context, context.spooled, upstream);
  const { partial } = context.attempts;
  return withinStack(() =>
    partial === null ? wholeBody(context, upstream) : prefilled(context, partial, upstream),
  );
}

function wholeBody(context: RequestView, upstream: Upstream): BuiltBody {
  const { target, support } = upstream;
  const translator = support?.via === 'translated' ? support.translator : null;
  if (translator !== null && context.method === 'GET') return translatedRead(context, translator, upstream);
  const hasAmbiguity = isAmbiguous(context);
  const isChanged = target.hasParamRules || hasAmbiguity || isRenamed(context, upstream);
  if (translator === null && !mustParse(context, isChanged)) return spliced(context, upstream);
  const original = context.json(parseJsonObject);
  const ruled = withOwnModel(context, upstream, rulesFor(original).apply(target));
  if (translator !== null) return translated(context, ruled, translator, upstream);
  return ruled === original && !hasAmbiguity ? spliced(context, upstream) : rebuilt(context, ruled, ruled);
}

const withOwnModel = ({ route }: RequestView, { model }: Upstream, body: JsonObject): JsonObject =>
  route.address === null ? withPlainModel(body) : withModelNames(body, model);

type Rules = Pick<ParamRules, 'apply'>;

const RULES = new WeakMap<JsonObject, Rules>();

/** Cached by body, which is the same object for all targets of a request. */
function rulesFor(body: JsonObject): Rules {
  let rules = RULES.get(body);
  if (!rules) {
    rules = new ParamRules(body);
    RULES.set(body, rules);
  }
  return rules;
}

/**
 * A parsed body with the parameter rules of a target applied; computed once for each request and
 * rule set.
 */
export const ruledBody = (body: JsonObject, target: CompiledTarget): JsonObject =>
  rulesFor(body).apply(target);

/**
 * Marks a body to which the parameter rules of its target have been applied, so that it is sent as
 * it is: an override would replace what a guardrail has changed.
 */
export function keepAsRuled(body: JsonObject): void {
  RULES.set(body, { apply: () => body });
}

/**
 * Builds the body of a request that continues a partial response: the text that the client already
 * has becomes the last assistant message.
 */
function prefilled(context: RequestView, text: string, upstream: Upstream): BuiltBody {
  const { target, provider, support } = upstream;
  const ruled = withPlainModel(rulesFor(context.json(parseJsonObject)).apply(target));
  if (text !== '' && !(target.assistantPrefill ?? provider.prefill === true)) {
    throw new GatewayError('route_unsupported', {
      message: `The gateway cannot continue a partial response at the provider ${provider.id}.`,
    });
  }
  const { messages } = ruled;
  const requested: unknown[] = Array.isArray(messages) ? messages : [];
  const body =
    text === '' ? ruled : { ...ruled, messages: [...requested, { role: 'assistant', content: text }] };
  return support?.via === 'translated'
    ? translated(context, body, support.translator, upstream)
    : rebuilt(context, body, body);
}

function translated(
  context: RequestView,
  body: JsonObject,
  translator: Translator,
  upstream: Upstream,
): BuiltBody {
  const {
    path,
    body: sent,
    losses,
  } = translator.request(body, lossOf(context, upstream), addressOf(context, upstream));
  return { ...rebuilt(context, body, sent), path, losses };
}

/** Returns how strict the translation is: the target's setting, or otherwise the workspace's. */
const lossOf = ({ principal }: RequestView, { target }: Upstream): LossMode =>
  target.loss ?? principal?.workspace.translationLoss ?? 'strict';

/**
 * Returns the parts of the call that are in the path or in headers instead of the body; undefined
 * for most calls.
 */
function addressOf({ route, req }: RequestView, upstream: Upstream): CallAddress | undefined {
  if (route.address !== null) return callAddress(route.address, upstream);
  const betas = req.headers['anthropic-beta'];
  return typeof betas === 'string' && route.dialect === 'anthropic' ? { betas } : undefined;
}

/** Builds a translated GET request, which has no body. */
const translatedRead = (context: RequestView, translator: Translator, upstream: Upstream): BuiltBody => ({
  ...translated(context, {}, translator, upstream),
  body: EMPTY,
  contentType: null,
});

const EMPTY = Buffer.alloc(0);

/**
 * Serialises a changed body. Numbers keep the client's spelling, also when a double cannot
 * represent them.
 */
const rebuilt = ({ body }: RequestView, clientBody: JsonObject, sent: JsonObject): BuiltBody => ({
  body: Buffer.from(withExactNumbers(sent, exactNumbers(body))),
  clientBody,
  contentType: 'application/json',
});

const mustParse = ({ body, scan }: RequestView, isChanged: boolean): boolean =>
  isChanged && body.length > 0 && scan !== null && !scan.isForm;

/**
 * Whether two JSON parsers may read a body differently: it has two models or, once parsed, any
 * duplicate member name. A built-in route then sends the object that the gateway checked, not the
 * received bytes.
 */
const isAmbiguous = ({ scan, route, isParsed, body }: RequestView): boolean =>
  route.kind !== 'passthrough' && (scan?.needsParse === true || (isParsed && hasDuplicateMembers(body)));

/** Replaces a model `@slug/model` by `model`, which the provider receives. */
function withPlainModel(body: JsonObject): JsonObject {
  const { model } = body;
  if (typeof model !== 'string') return body;
  const plain = withoutSlug(model);
  return plain === model ? body : { ...body, model: plain };
}

/**
 * Returns the model to send in the body. When the path names the model, the body keeps the one that
 * it has.
 */
const modelInBody = ({ scan }: RequestView, { model, isModelInPath }: Upstream): string | null =>
  isModelInPath && scan?.model ? withoutSlug(scan.model) : model;

/**
 * Replaces the model in the body when it has a slug, or in a form when a rule sets another model.
 */
function spliced(context: RequestView, upstream: Upstream): BuiltBody {
  const { scan, body } = context;
  const model = modelInBody(context, upstream);
  if (scan?.modelSpan && model !== null && model !== scan.model) {
    const splice = scan.isForm ? spliceForm : spliceModel;
    return { body: splice(body, scan.modelSpan, model), clientBody: null, contentType: null };
  }
  return { body, clientBody: null, contentType: null };
}

/** A spooled body is never parsed; throws `body_too_large` when that would be necessary. */
function spooledBody(context: RequestView, body: SpooledBody, upstream: Upstream): BuiltBody {
  const { scan } = context;
  const { target, support } = upstream;
  const isJson = scan !== null && !scan.isForm;
  if (support?.via === 'translated' || (isJson && target.hasParamRules)) {
    throw new GatewayError('body_too_large', {
      message:
        'The request body is too large for the parameter rules or the translation that this target needs.',
    });
  }
  return {
    body: body.source(spliceOf(scan, modelInBody(context, upstream))),
    clientBody: null,
    contentType: null,
  };
}

function spliceOf(scan: ShallowScan | null, model: string | null): Splice | null {
  if (!scan?.modelSpan || model === null || model === scan.model) return null;
  const [from, to] = scan.modelSpan;
  return { from, to, bytes: Buffer.from(scan.isForm ? model : JSON.stringify(model)) };
}
