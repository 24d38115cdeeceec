import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Usage } from '@gw/contracts';
import { CheckError, type ModelCall } from '@gw/guardrails';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { readResponse, shallowScan, type JsonObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { Accounts } from '../limits/accounts';
import type { GatewayResponse } from '../attempt/gateway-response';
import { translationContext } from '../attempt/response-shape';
import { RequestContext } from '../core/request-context';
import { CollectedResponse } from './collected-response';
import type { Settlement } from '../core/settlement';
import type { AttemptStage } from '../attempt/attempt.stage';
import { routeOf } from '../routes/route-table';
import type { Configs, ResolvedConfig } from '../configs/configs';
import { useConfig } from '../configs/use-config';
import type { GatewayPrincipal } from '../auth/principals';

const ROUTES = {
  'chat.completions': routeOf('POST', '/chat/completions'),
  embeddings: routeOf('POST', '/embeddings'),
  moderations: routeOf('POST', '/moderations'),
} as const;

/** A model's response with the usage it reports. */
interface ModelResponse {
  readonly response: JsonObject;
  readonly usage: Usage | null;
  readonly model: string | null;
}

/**
 * Makes model calls for checks on behalf of the caller: with the credentials of the caller's
 * workspace, routed by a config, within the limits of the called target. No guardrail judges these
 * calls, whatever their config names, so that a check cannot trigger another check.
 */
export class ModelCalls {
  constructor(
    private readonly configs: Configs,
    private readonly attempt: AttemptStage,
    private readonly accounts: Accounts,
    private readonly settle: Settlement['settleCheck'],
  ) {}

  /**
   * Calls a model and resolves to its response. Rejects with a `CheckError`. The usage is charged
   * to the request on its `guardrail` line, however the call ends.
   */
  async ask(request: RequestContext, call: ModelCall): Promise<JsonObject> {
    const context = contextFor(request, call);
    const leave = (): void => void context.res.emit('close');
    call.signal.addEventListener('abort', leave, { once: true });
    let read: ModelResponse | null = null;
    try {
      call.signal.throwIfAborted();
      const { principal } = request;
      const resolved = await this.resolved(principal as GatewayPrincipal, call);
      useConfig(context, resolved);
      await this.attempt.run(context);
      read = await readWhole(context);
      return read.response;
    } catch (thrown) {
      throw checkErrorOf(thrown);
    } finally {
      call.signal.removeEventListener('abort', leave);
      await this.charge(context, request, read);
      // This response has no connection, so its `close` event, which frees resources, must be
      // emitted here.
      context.res.emit('close');
    }
  }

  private async resolved(
    { workspace }: GatewayPrincipal,
    { target }: Pick<ModelCall, 'target'>,
  ): Promise<ResolvedConfig> {
    if ('provider' in target) {
      return this.configs.fromText(workspace.id, JSON.stringify({ provider: target.provider }));
    }
    return await this.configs.fromDocument(workspace.id, target.config, 'guardrail');
  }

  private async charge(
    context: RequestContext,
    request: RequestContext,
    read: ModelResponse | null,
  ): Promise<void> {
    if (request.settled && context.attempts.records.length > 0) {
      // The request's reservation is closed already, so reserve separately. A refusal is ignored,
      // because the usage has occurred and is recorded.
      await Promise.resolve(this.accounts.admit(context)).catch(() => undefined);
    }
    this.settle(context, request, read?.usage ?? null, read?.model ?? null);
  }
}

/**
 * Creates the context of a request on behalf of the caller. It contains no header or body of the
 * caller.
 */
function contextFor(request: RequestContext, { route, body: parsed }: ModelCall): RequestContext {
  const req = new IncomingMessage(new Socket());
  req.rawHeaders = HEADERS;
  req.headers = { accept: JSON_TYPE, 'content-type': JSON_TYPE };
  const { upstreamPath } = ROUTES[route];
  const context = new RequestContext(
    uuidv7(),
    req,
    new ServerResponse(req),
    'POST',
    `/v1${upstreamPath}`,
    '',
    ROUTES[route],
  );
  const body = Buffer.from(JSON.stringify(parsed));
  context.replaceBody(body, parsed, shallowScan(body));
  context.usage.keepCharges();
  context.becomeCallFor(request, {
    ...request.gw,
    provider: null,
    virtualKey: null,
    config: null,
    customHost: null,
    forwardHeaders: NO_HEADERS,
    requestTimeoutMs: null,
    providerKey: null,
  });
  return context;
}

const JSON_TYPE = 'application/json';
const HEADERS = ['accept', JSON_TYPE, 'content-type', JSON_TYPE];
const NO_HEADERS: readonly string[] = [];

async function readWhole(context: RequestContext): Promise<ModelResponse> {
  const { response } = context;
  if (response === null) throw new CheckError('The wait for the model was aborted.');
  const body = await new Promise<Buffer | GatewayError | null>((resolve) => {
    response.attach(new CollectedResponse(response, resolve));
  });
  const { reply } = context;
  reply.read(response.status, body instanceof Buffer ? body.length : 0);
  if (body === null) {
    if (context.clientGone) reply.clientLeft();
    else reply.cut(null);
    throw new CheckError('The response of the model broke off.');
  }
  if (body instanceof GatewayError) throw body;
  if (response.status < 200 || response.status > 299) {
    reply.providerFailed();
    throw new CheckError(`The model responded with status ${String(response.status)}.`);
  }
  const { usage, model } = readResponse(response.upstream.provider, body);
  return { response: translated(context, response, body), usage, model };
}

/** Translates the response to the dialect of the call, if the provider uses another one. */
function translated(context: RequestContext, { upstream }: GatewayResponse, body: Buffer): JsonObject {
  const parsed = parseJsonObject(body);
  const { support } = upstream;
  if (support?.via !== 'translated') return parsed;
  return support.translator.response(parsed, translationContext(context, upstream));
}

/**
 * Converts an error to one that the caller may see. Messages of errors other than `CheckError` may
 * contain secrets, so only the error's type is shown.
 */
function checkErrorOf(thrown: unknown): CheckError {
  if (thrown instanceof CheckError) return thrown;
  const type = thrown instanceof GatewayError ? `: ${thrown.type}` : '';
  return new CheckError(`The model could not be called${type}.`);
}
