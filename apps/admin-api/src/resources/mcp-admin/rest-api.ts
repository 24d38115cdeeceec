import { HEADER } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { own, ownObject, type JsonObject } from '@gw/mcp';
import type { FastifyInstance } from 'fastify';
import type { AccessRule } from '../../platform/auth/access';
import type { AccessGate } from '../../platform/auth/access.gate';
import { withinDispatch, type DispatchedCall } from '../../platform/auth/dispatched-calls';
import type { Identity } from '../../platform/auth/identity';
import { collectingChecked } from '../../platform/common/call-context';
import type { Principal } from '../../platform/common/principal';
import type { AuditEntry } from '../../platform/unit-of-work/audit-recorder';

/** Method and pattern of a route of the REST API. */
export type RestRoute = `${'GET' | 'POST' | 'PUT'} /v1/${string}`;

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** A request to a route of the REST API. */
export interface RestCall {
  readonly route: RestRoute;
  /** Values of the parameters in the pattern, not encoded. */
  readonly params?: Readonly<Record<string, string>>;
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: JsonObject;
  readonly ifMatch?: string | null;
}

/** The caller of the MCP endpoint. */
export interface RestCaller {
  readonly identity: Identity;
  /** In the workspace of its credential; null for one of the organisation. */
  readonly principal: Principal;
}

/** The REST API refused a request. */
export class RestRefusal extends Error {
  override readonly name = 'RestRefusal';

  constructor(
    readonly status: number,
    /** `error` of the response. */
    readonly error: JsonObject,
  ) {
    const message = own(error, 'message');
    super(typeof message === 'string' ? message : 'The request was refused.');
  }
}

/** The refusal of a call that lacks an argument which other arguments require. */
export const missing = (param: string, way: string): RestRefusal =>
  new RestRefusal(400, { type: 'validation_failed', param, message: `${param} is required. ${way}` });

/** Result of a dry run of a request. */
export interface Checked {
  readonly entries: readonly AuditEntry[];
  readonly warnings: readonly unknown[];
}

/** Sends requests of tools to the routes of this process, so that a tool can do nothing that a route does not. */
export class RestApi {
  private readonly rules = new Map<string, AccessRule | undefined>();

  /** Create it before the routes are registered. */
  constructor(
    private readonly server: FastifyInstance,
    private readonly gate: AccessGate,
  ) {
    server.addHook('onRoute', ({ method, url, config }) => {
      for (const each of [method].flat()) this.rules.set(`${each} ${url}`, config?.access);
    });
  }

  /** Whether the caller might use a route. The route itself decides when it is called. */
  mayUse(caller: RestCaller, route: RestRoute): boolean {
    const [, url = ''] = route.split(' ', 2);
    return this.gate.mightUse(
      { caller: caller.principal, identity: caller.identity },
      { url, rule: this.rules.get(route) },
    );
  }

  /** The requests of one call of a tool. `tool` is named in the audit log. */
  callsOf(caller: RestCaller, tool: string): RestCalls {
    const { request } = caller.principal;
    const facts = { ...request, method: 'POST', uri: `${request.uri}#${tool}` };
    return new RestCalls(this, caller, { identity: caller.identity, facts, requests: 0 });
  }

  /** Throws `RestRefusal` for every status other than 200 and 204. */
  async send(call: RestCall, within: DispatchedCall): Promise<JsonObject> {
    const { facts } = within;
    const [method] = call.route.split(' ', 1);
    const request = {
      method: method as 'GET',
      url: urlOf(call),
      headers: {
        [HEADER.requestId]: facts.id,
        ...(facts.userAgent !== null && { 'user-agent': facts.userAgent }),
        ...(call.ifMatch != null && { 'if-match': call.ifMatch }),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(facts.clientIp !== null && { remoteAddress: facts.clientIp }),
      ...(call.body !== undefined && { payload: JSON.stringify(call.body) }),
    };
    // The request begins when its response is awaited, which must be within the call.
    const response = await withinDispatch(within, async () => await this.server.inject(request));
    const body: unknown = response.payload === '' ? {} : JSON.parse(response.payload);
    const shown = isObject(body) ? body : {};
    if (response.statusCode === 200 || response.statusCode === 204) return shown;
    throw new RestRefusal(response.statusCode, ownObject(shown, 'error'));
  }
}

/** The requests of one call of a tool, as its caller. */
export class RestCalls {
  constructor(
    private readonly api: RestApi,
    private readonly caller: RestCaller,
    private readonly call: DispatchedCall,
  ) {}

  /** The workspace of the credential; null for one of the whole organisation. */
  get workspaceId(): string | null {
    return this.caller.principal.workspaceId;
  }

  may(route: RestRoute): boolean {
    return this.api.mayUse(this.caller, route);
  }

  /** Sends the request. Throws `RestRefusal`. */
  send(call: RestCall): Promise<JsonObject> {
    return this.api.send(call, this.call);
  }

  /** Sends a GET that the caller might not be allowed; null then. */
  async sendIfAllowed(call: RestCall): Promise<JsonObject | null> {
    if (!this.may(call.route)) return null;
    try {
      return await this.send(call);
    } catch (error) {
      if (error instanceof RestRefusal && (error.status === 403 || error.status === 404)) return null;
      throw error;
    }
  }

  /** Checks a request that changes something, without the change. Throws `RestRefusal`. */
  async check(call: RestCall): Promise<Checked> {
    const dry = { ...call, query: { ...call.query, dry_run: true } };
    const { result, entries } = await collectingChecked(() => this.send(dry));
    const warnings = own(result, 'warnings');
    return {
      entries: entries as readonly AuditEntry[],
      warnings: Array.isArray(warnings) ? (warnings as readonly unknown[]) : [],
    };
  }
}

function urlOf({ route, params = {}, query = {} }: RestCall): string {
  const [, pattern = ''] = route.split(' ', 2);
  const path = pattern.replace(/:([A-Za-z]+)/g, (_whole, name: string) => segmentOf(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of value === undefined ? [] : [value].flat()) search.append(name, String(each));
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** Dots alone would lead to another route, and so would nothing. */
function segmentOf(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new RestRefusal(404, { type: 'not_found', message: 'Not found.' });
  return encodeURIComponent(value);
}
