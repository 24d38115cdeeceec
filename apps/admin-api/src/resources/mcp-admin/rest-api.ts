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
  /**
   * Principal limited to the workspace of its credential; `workspaceId` is null for a credential of
   * the organisation.
   */
  readonly principal: Principal;
}

/** Refusal of a request by the REST API. */
export class RestRefusal extends Error {
  override readonly name = 'RestRefusal';

  constructor(
    readonly status: number,
    /** The `error` member of the response. */
    readonly error: JsonObject,
  ) {
    const message = own(error, 'message');
    super(typeof message === 'string' ? message : 'The request was refused.');
  }
}

/** Returns the refusal of a call that lacks an argument which other arguments require. */
export const missing = (param: string, way: string): RestRefusal =>
  new RestRefusal(400, { type: 'validation_failed', param, message: `${param} is required. ${way}` });

/** Result of a dry run of a request. */
export interface Checked {
  readonly entries: readonly AuditEntry[];
  readonly warnings: readonly unknown[];
}

/**
 * Sends requests of tools to the routes of this process, so that a tool can do only what a route
 * allows.
 */
export class RestApi {
  private readonly rules = new Map<string, AccessRule | undefined>();

  /** Must be created before the routes are registered. */
  constructor(
    private readonly server: FastifyInstance,
    private readonly gate: AccessGate,
  ) {
    server.addHook('onRoute', ({ method, url, config }) => {
      for (const each of [method].flat()) this.rules.set(`${each} ${url}`, config?.access);
    });
  }

  /** Whether the caller might use a route. The route makes the final decision when it is called. */
  mayUse(caller: RestCaller, route: RestRoute): boolean {
    const [, url = ''] = route.split(' ', 2);
    return this.gate.mightUse(
      { caller: caller.principal, identity: caller.identity },
      { url, rule: this.rules.get(route) },
    );
  }

  /** Returns the requests of one tool call. The audit log contains the name `tool`. */
  callsOf(caller: RestCaller, tool: string): RestCalls {
    const { request } = caller.principal;
    const facts = { ...request, method: 'POST', uri: `${request.uri}#${tool}` };
    return new RestCalls(this, caller, { identity: caller.identity, facts, requests: 0 });
  }

  /**
   * Sends a request and returns the JSON response. Throws `RestRefusal` for every status other than
   * 200 and 204.
   */
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
    // Awaits inside the function, because the request starts when its response is awaited and must
    // start within the dispatched call.
    const response = await withinDispatch(within, async () => await this.server.inject(request));
    const body: unknown = response.payload === '' ? {} : JSON.parse(response.payload);
    const shown = isObject(body) ? body : {};
    if (response.statusCode === 200 || response.statusCode === 204) return shown;
    throw new RestRefusal(response.statusCode, ownObject(shown, 'error'));
  }
}

/** Sends the requests of one tool call on behalf of its caller. */
export class RestCalls {
  constructor(
    private readonly api: RestApi,
    private readonly caller: RestCaller,
    private readonly call: DispatchedCall,
  ) {}

  /** Workspace of the credential; null for a credential of the whole organisation. */
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

  /** Sends a GET request; returns null when the caller is not allowed to send it. */
  async sendIfAllowed(call: RestCall): Promise<JsonObject | null> {
    if (!this.may(call.route)) return null;
    try {
      return await this.send(call);
    } catch (error) {
      if (error instanceof RestRefusal && (error.status === 403 || error.status === 404)) return null;
      throw error;
    }
  }

  /** Checks a request as a dry run, without making the change. Throws `RestRefusal`. */
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

/**
 * Encodes a path segment. Refuses an empty segment and segments of dots, which would lead to
 * another route.
 */
function segmentOf(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new RestRefusal(404, { type: 'not_found', message: 'Not found.' });
  return encodeURIComponent(value);
}
