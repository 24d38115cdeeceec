import { isObject } from '@gw/kernel';
import { fault, ScimError } from '@gw/scim';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ScimContext } from './scim-context';
import { BULK, ScimDispatcher, type ScimReply } from './scim-dispatcher.service';
import { scimErrorOf, scimErrorBody } from './scim-errors';

interface Operation {
  readonly method: string;
  readonly path: readonly string[];
  readonly bulkId: string | null;
  readonly version: string | undefined;
  readonly data: unknown;
}

const METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const BULK_ID = /^[\w.-]{1,64}$/;

/**
 * Executes the operations of a bulk request (RFC 7644, section 3.7), one after another, each in a
 * separate transaction.
 */
@Injectable()
export class ScimBulk {
  constructor(
    private readonly dispatcher: ScimDispatcher,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SCIM_BULK'>,
  ) {}

  async run(context: ScimContext, body: unknown): Promise<ScimReply> {
    if (!this.settings.SCIM_BULK) {
      throw new ScimError(501, 'Bulk requests are off here; send each operation by itself. (notImplemented)');
    }
    const { operations, failures } = readBulk(body);
    const ids = new Map<string, string>();
    const results: object[] = [];
    let failed = 0;
    for (const operation of operations) {
      if (failures > 0 && failed >= failures) break;
      const result = await this.one(context, operation, ids);
      if (result.isFailed) failed += 1;
      results.push(result.shown);
    }
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
    return { status: 200, body: { schemas, Operations: results }, headers: {} };
  }

  private async one(
    context: ScimContext,
    { method, path, bulkId, version, data }: Operation,
    ids: Map<string, string>,
  ): Promise<{ readonly isFailed: boolean; readonly shown: object }> {
    const named = { method, ...(bulkId === null ? {} : { bulkId }) };
    try {
      const { status, body, headers } = await this.dispatcher.dispatch(context, {
        method,
        path: path.map((segment) => resolved(segment, ids) as string),
        query: {},
        body: resolved(data, ids),
        ifMatch: version,
        ifNoneMatch: undefined,
      });
      const { id, meta } = (body ?? {}) as {
        readonly id?: string;
        readonly meta?: { readonly location?: string };
      };
      if (bulkId !== null && id !== undefined) ids.set(bulkId, id);
      const location = meta?.location ?? `${context.base}/${path.join('/')}`;
      const tag = headers['etag'];
      const shown = {
        ...named,
        location,
        ...(tag === undefined ? {} : { version: tag }),
        status: String(status),
      };
      return { isFailed: false, shown };
    } catch (thrown) {
      const error = scimErrorOf(thrown);
      const shown = { ...named, status: String(error.status), response: scimErrorBody(error) };
      return { isFailed: true, shown };
    }
  }
}

function readBulk(body: unknown): { readonly operations: readonly Operation[]; readonly failures: number } {
  const { Operations: operations, failOnErrors: failures = 0 } = isObject(body) ? body : {};
  if (!Array.isArray(operations) || operations.length === 0) {
    throw fault('invalidSyntax', 'Operations must be a list of at least one operation.');
  }
  if (operations.length > BULK.operations) {
    throw new ScimError(413, `A bulk request has at most ${String(BULK.operations)} operations.`, 'tooMany');
  }
  if (typeof failures !== 'number' || !Number.isInteger(failures) || failures < 0) {
    throw fault('invalidValue', 'failOnErrors must be a whole number.');
  }
  return { operations: operations.map(readOperation), failures };
}

function readOperation(raw: unknown): Operation {
  const operation = isObject(raw) ? raw : {};
  const { path, version, data } = operation;
  const method = typeof operation['method'] === 'string' ? operation['method'].toUpperCase() : '';
  if (!METHODS.has(method)) throw fault('invalidSyntax', 'method must be POST, PUT, PATCH or DELETE.');
  if (typeof path !== 'string' || !/^\/(?:Users|Groups)(?:\/[^/]{1,128})?$/.test(path)) {
    throw fault('invalidPath', 'path must be that of a user or a group, such as /Users/{id}.');
  }
  const bulkId = readBulkId(operation['bulkId']);
  if (method === 'POST' && bulkId === null) throw fault('invalidSyntax', 'POST needs a bulkId.');
  const ifMatch = typeof version === 'string' ? version : undefined;
  return { method, path: path.slice(1).split('/'), bulkId, version: ifMatch, data };
}

function readBulkId(raw: unknown): string | null {
  if (raw === undefined) return null;
  if (typeof raw === 'string' && BULK_ID.test(raw)) return raw;
  throw fault('invalidValue', 'bulkId must be a short name of letters and digits.');
}

/**
 * Replaces `bulkId:x` with the id of the resource that operation x created. Throws `invalidValue`
 * for an unknown one.
 */
function resolved(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith('bulkId:')) return value;
    const id = ids.get(value.slice('bulkId:'.length));
    if (id === undefined) throw fault('invalidValue', `No earlier operation created ${value.slice(0, 80)}.`);
    return id;
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, ids)]));
}
