import { isObject } from '@gw/kernel';
import { fault, kindDocuments, providerConfig, schemaDocuments, ScimError } from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ScimContext } from './scim-context';
import { containsTag, type Written } from './scim-documents';
import { ScimGroupsService } from './scim-groups.service';
import { listOf, type ListParameters } from './scim-list';
import { ScimUsersService } from './scim-users.service';

/** A request below the SCIM base URL. */
export interface ScimRequest {
  readonly method: string;
  /** Decoded path segments: `['Users', '…']`. */
  readonly path: readonly string[];
  readonly query: ListParameters;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export interface ScimReply {
  readonly status: number;
  readonly body: object | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maximum number of members of a changed group that the response contains. */
const MEMBERS_SHOWN_MAX = 500;
export const BULK = { operations: 1_000, bytes: 1_048_576 } as const;
const DISCOVERY: ReadonlySet<string> = new Set(['ServiceProviderConfig', 'Schemas', 'ResourceTypes']);

/**
 * Whether a path is one of the discovery documents, which describe the SCIM features of this
 * server.
 */
export const isDiscovery = ([first]: readonly string[]): boolean => DISCOVERY.has(first ?? '');

/** Executes one SCIM request from the network, from a bulk request or as a dry run. */
@Injectable()
export class ScimDispatcher {
  constructor(
    private readonly users: ScimUsersService,
    private readonly groups: ScimGroupsService,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SCIM_BULK'>,
  ) {}

  /** Executes a request and returns the response. Throws `ScimError`. */
  async dispatch(context: ScimContext, request: ScimRequest): Promise<ScimReply> {
    const [first, id, ...rest] = request.path;
    if (rest.length > 0) throw unknownPath();
    if (isDiscovery(request.path)) return this.discover(context.base, request);
    if (first === 'Me') throw new ScimError(501, 'SCIM tokens belong to no user, so /Me is not offered.');
    const resource = first === 'Users' ? this.users : first === 'Groups' ? this.groups : null;
    if (resource === null) throw unknownPath();
    if (id === undefined) return this.collection(resource, context, request);
    if (id === '.search' && request.method === 'POST') return search(resource, context, request.body);
    return one(resource, context, id, request);
  }

  /** Returns a discovery document. `base` is the URL of the SCIM endpoints. */
  discover(base: string, { method, path: [first, id], query }: ScimRequest): ScimReply {
    if (method !== 'GET') throw new ScimError(405, 'The documents of discovery can only be read.');
    if (query['filter'] !== undefined)
      throw new ScimError(403, 'The documents of discovery cannot be filtered.');
    if (first === 'ServiceProviderConfig') {
      if (id !== undefined) throw unknownPath();
      return ok(providerConfig(base, this.settings.SCIM_BULK ? BULK : null));
    }
    const documents = first === 'Schemas' ? schemaDocuments(base) : kindDocuments(base);
    if (id === undefined) return ok(listOf({ startIndex: 1 }, documents.size, [...documents.values()]));
    const document = documents.get(id.toLowerCase());
    if (document === undefined) throw unknownPath();
    return ok(document);
  }

  private async collection(
    resource: Resource,
    context: ScimContext,
    request: ScimRequest,
  ): Promise<ScimReply> {
    if (request.method === 'GET') return ok(await resource.list(context, request.query));
    if (request.method !== 'POST') throw wrongMethod();
    const written = await resource.create(context, request.body, request.query);
    return reply(written, written.created ? 201 : 200);
  }
}

type Resource = ScimUsersService | ScimGroupsService;

async function search(resource: Resource, context: ScimContext, body: unknown): Promise<ScimReply> {
  if (!isObject(body)) throw fault('invalidSyntax', 'The body must be an object.');
  return ok(await resource.list(context, body));
}

async function one(
  resource: Resource,
  context: ScimContext,
  id: string,
  request: ScimRequest,
): Promise<ScimReply> {
  const { method, body, ifMatch, query } = request;
  switch (method) {
    case 'GET': {
      const found = await resource.get(context, id, query);
      const { ifNoneMatch } = request;
      return ifNoneMatch !== undefined && containsTag(ifNoneMatch, found.version)
        ? { status: 304, body: null, headers: { etag: found.version } }
        : reply(found, 200);
    }
    case 'PUT':
      return reply(await resource.replace(context, id, body, ifMatch), 200);
    case 'PATCH':
      return patched(context, await resource.patch(context, id, body, { ifMatch, parameters: query }));
    case 'DELETE':
      await resource.remove(context, id, ifMatch);
      return { status: 204, body: null, headers: {} };
    default:
      throw wrongMethod();
  }
}

/**
 * Returns the response to a PATCH. Entra ID expects no body for a changed group, and large groups
 * are not sent back.
 */
function patched({ dialect }: ScimContext, written: Written): ScimReply {
  const members = written.document['members'];
  const isGroup = Array.isArray(members);
  if (isGroup && (dialect === 'entra' || members.length > MEMBERS_SHOWN_MAX)) {
    return { status: 204, body: null, headers: { etag: written.version } };
  }
  return reply(written, 200);
}

const reply = ({ document, version }: Written, status: number): ScimReply => {
  const { location } = (document['meta'] ?? {}) as { readonly location?: string };
  const headers = { etag: version, ...(status === 201 && location !== undefined ? { location } : {}) };
  return { status, body: document, headers };
};

const ok = (body: object): ScimReply => ({ status: 200, body, headers: {} });

const unknownPath = (): ScimError => new ScimError(404, 'There is no such SCIM resource.');
const wrongMethod = (): ScimError => new ScimError(405, 'The method is not offered here.');
