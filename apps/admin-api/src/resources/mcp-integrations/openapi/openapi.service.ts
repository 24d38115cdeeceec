import { McpIntegrationEntity, McpOpenApiDocumentEntity, type StoredOpenApiSelection } from '@gw/entities';
import { assertAllowedUrl, GatewayError, truncated, type AddressPolicy } from '@gw/kernel';
import {
  isSelected,
  listedOperations,
  OpenApiFault,
  operationKey,
  type JsonObject,
  type OpenApiTools,
} from '@gw/mcp';
import { invalid, validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import type { Principal } from '../../../platform/common/principal';
import { ADDRESS_POLICY } from '../../../platform/credentials/integration-credentials';
import type { ResourceReference } from '../../../platform/resource/resource-reference';
import { changeRow, findRow } from '../../../platform/resource/rows';
import { Writes } from '../../../platform/unit-of-work/writes';
import { mcpIntegrationTo } from '../mcp-integration-rows';
import { assertMayCreate, McpIntegrationsService } from '../mcp-integrations.service';
import { McpSnapshots } from '../mcp-snapshots.service';
import { baseUrlFault, baseUrlOf, serversOf } from './base-url';
import {
  columnsOfRead,
  OpenApiDocuments,
  snapshotOf,
  toolsOf,
  type ReadOpenApi,
} from './openapi-documents.service';
import { mergedSelection, selectionFaults, selectionOf } from './openapi-selection';
import type { CreateOpenApiDto, OpenApiQuery, UpdateOpenApiDto } from './openapi.dto';
import {
  toOpenApi,
  type CreatedOpenApiResponse,
  type OpenApiResponse,
  type UpdatedOpenApiResponse,
} from './openapi.view';

/** Maximum number of operations in a preview. */
const OPERATIONS_MAX = 1_000;
/**
 * Maximum number of characters of an operation's id or tag in a preview, as in a selection. Many
 * operations may refer to the same long text.
 */
const NAME_MAX = 255;

/** Creates MCP integrations for HTTP services that OpenAPI documents describe. */
@Injectable()
export class OpenApiService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly integrations: McpIntegrationsService,
    private readonly documents: OpenApiDocuments,
    private readonly snapshots: McpSnapshots,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Creates an integration with the tools of a document; with `commit: false`, only shows them.
   * Throws `validation_failed`, `custom_host_refused`, and `rate_limited` when the organisation
   * reads too many documents at the same time.
   */
  async create(
    caller: Principal,
    { openapi, commit = true, base_url, server_variables, ...input }: CreateOpenApiDto,
  ): Promise<CreatedOpenApiResponse> {
    assertMayCreate(caller, input.organisation_id);
    const specUrl = openapi.spec_url ?? null;
    const read = await this.documentOfRequest(caller, openapi, 'openapi.');
    if (read === null) throw invalid('openapi.spec', 'is required; send spec or spec_url');
    const { document } = read;
    const selection = mergedSelection(openapi);
    const servers = serversOf(document, specUrl, server_variables);
    if (!commit) {
      const nothing = { id: null, slug: null, base_url: base_url ?? null };
      return { ...nothing, servers, ...previewOf(document, selection, 'openapi.') };
    }
    const derived = toolsOrThrow(document, selection, 'openapi.');
    const url = baseUrlOf(document, specUrl, { base_url, server_variables, auth_type: input.auth_type });
    const fault = baseUrlFault(url);
    if (fault !== null) throw invalid('base_url', fault);
    assertAllowedUrl(this.policy, url, 'base_url');
    return this.writes.run(caller, async (write) => {
      const values = { ...input, url, transport: 'http' } as const;
      const row = await this.integrations.insert(write, values, 'openapi', async ({ id: integrationId }) => {
        await write.manager.insert(McpOpenApiDocumentEntity, {
          ...{ integrationId, url: specUrl, selection, ...columnsOfRead(read, derived) },
        });
      });
      await this.snapshots.keep(write, row, snapshotOf(document, derived));
      return { id: row.id, slug: row.slug, base_url: url, servers, ...resultOf(derived) };
    });
  }

  async get(at: ResourceReference, { document = false }: OpenApiQuery): Promise<OpenApiResponse> {
    const { manager } = this.dataSource;
    const row = await this.storedDocument(await findRow(manager, mcpIntegrationTo('read'), at));
    return { ...toOpenApi(row), ...(document && { document: row.document }) };
  }

  /**
   * Replaces the document, its URL or the selection; absent members stay. Reads the tools
   * immediately. Throws `conflict` when the document or the selection has changed since this
   * request read it; reading a URL can take 20 seconds.
   */
  async update(at: ResourceReference, input: UpdateOpenApiDto): Promise<UpdatedOpenApiResponse> {
    const { caller } = at;
    const found = await findRow(this.dataSource.manager, mcpIntegrationTo('update'), at);
    const before = await this.storedDocument(found);
    const sentDocument = await this.documentOfRequest(caller, input, '');
    const read = sentDocument ?? (await this.documents.parse(before.document, caller.organisationId));
    const url = input.spec === undefined ? (input.spec_url ?? before.url) : null;
    const selection = mergedSelection(input, before.selection);
    const derived = toolsOrThrow(read.document, selection, '');
    return this.writes.run(caller, async (write) => {
      const columns = { url, selection, ...columnsOfRead(read, derived) };
      if (sentDocument === null) columns.readAt = before.readAt;
      const row = await changeRow(
        write,
        mcpIntegrationTo('update'),
        at,
        async (locked) => {
          const where = { integrationId: locked.id };
          const now = await write.manager.findOneBy(McpOpenApiDocumentEntity, where);
          if (now === null || !isSame(now, before)) throw changedMeanwhile();
          await write.manager.update(McpOpenApiDocumentEntity, where, columns);
          // The version increases, so that the result of a reading of the earlier document is not
          // stored.
          locked.nextSyncAt = new Date();
          return { openapi: { spec_url: url, digest: columns.digest, ...selection } };
        },
        'update_openapi',
      );
      await this.snapshots.keep(write, row, snapshotOf(read.document, derived));
      return resultOf(derived);
    });
  }

  /** Returns the document of a request; null when the request contains none. */
  private async documentOfRequest(
    { organisationId }: Principal,
    { spec, spec_url: url }: { readonly spec?: unknown; readonly spec_url?: string | undefined },
    path: string,
  ): Promise<ReadOpenApi | null> {
    if (spec !== undefined && url !== undefined)
      throw invalid(`${path}spec_url`, 'cannot be sent together with spec; send one of them');
    if (spec !== undefined) {
      const text = typeof spec === 'string' ? spec : JSON.stringify(spec);
      return withFaultsAt(`${path}spec`, () => this.documents.parse(text, organisationId));
    }
    if (url === undefined) return null;
    assertAllowedUrl(this.policy, url, `${path}spec_url`);
    return withFaultsAt(`${path}spec_url`, () =>
      this.snapshots.within({ organisationId }, () => this.documents.fetch(url, organisationId)),
    );
  }

  /**
   * Returns the document of an integration. Throws `conflict` for an integration of an MCP server.
   */
  private async storedDocument({ id, kind }: McpIntegrationEntity): Promise<McpOpenApiDocumentEntity> {
    const row =
      kind === 'openapi'
        ? await this.dataSource.manager.findOneBy(McpOpenApiDocumentEntity, { integrationId: id })
        : null;
    if (row !== null) return row;
    throw new GatewayError('conflict', {
      message: 'The integration is an MCP server, which has no OpenAPI document.',
    });
  }
}

const isSame = (one: McpOpenApiDocumentEntity, other: McpOpenApiDocumentEntity): boolean =>
  one.url === other.url && one.digest === other.digest && isDeepStrictEqual(one.selection, other.selection);

const changedMeanwhile = (): GatewayError =>
  new GatewayError('conflict', {
    message: 'The document or the selection was changed meanwhile; read it and send the change again.',
  });

/** Converts a document fault into a fault of the request member that contained the document. */
async function withFaultsAt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OpenApiFault)) throw error;
    throw invalid(path, `cannot be used. ${error.message}`);
  }
}

/**
 * Returns the tools of a document. Throws `validation_failed` for a selection that does not fit it
 * or yields no tools.
 */
function toolsOrThrow(document: JsonObject, selection: StoredOpenApiSelection, path: string): OpenApiTools {
  const faults = selectionFaults(selection, document);
  if (faults.length > 0)
    throw validationFailed(faults.map((fault) => ({ ...fault, path: path + fault.path })));
  const derived = toolsOrFault(document, selection);
  if (typeof derived === 'string') throw invalid(`${path}include`, `cannot be used. ${derived}`);
  if (derived.tools.length > 0) return derived;
  const [first] = derived.refused;
  throw invalid(
    `${path}include`,
    first === undefined
      ? 'selects no operation of the document; select others, or send commit: false to see all'
      : `selects no operation that can be a tool; the first one is ${first.operation}: ${first.reason}`,
  );
}

/** Returns the tools of a document, or the reason why there are none. */
function toolsOrFault(document: JsonObject, selection: StoredOpenApiSelection): OpenApiTools | string {
  try {
    return toolsOf(document, selection);
  } catch (error) {
    if (error instanceof OpenApiFault) return error.message;
    throw error;
  }
}

/** Returns a preview of a document's tools; the faults that would prevent saving are warnings. */
function previewOf(
  document: JsonObject,
  selection: StoredOpenApiSelection,
  path: string,
): Omit<CreatedOpenApiResponse, 'id' | 'slug' | 'base_url' | 'servers'> {
  const derived = toolsOrFault(document, selection);
  const faults = selectionFaults(selection, document).map((fault) => ({ ...fault, path: path + fault.path }));
  const warnings =
    typeof derived === 'string' ? [...faults, { path: `${path}include`, message: derived }] : faults;
  const of = selectionOf(selection);
  return {
    ...resultOf(typeof derived === 'string' ? { tools: [], refused: [] } : derived),
    warnings: warnings.slice(0, 100),
    operations: listedOperations(document)
      .slice(0, OPERATIONS_MAX)
      .map((each) => ({
        ...{ operation: operationKey(each), method: each.method, path: each.path },
        operation_id: each.operationId === null ? null : truncated(each.operationId, NAME_MAX),
        tags: each.tags.map((tag) => truncated(tag, NAME_MAX)),
        selected: isSelected(each, of),
      })),
  };
}

const resultOf = ({ tools, refused }: OpenApiTools): UpdatedOpenApiResponse => ({
  tools: tools.map(({ name, operation }) => ({ name, operation: operationKey(operation) })),
  skipped: refused,
});
