import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import {
  McpOpenApiDocumentEntity,
  type McpIntegrationEntity,
  type StoredOpenApiSelection,
} from '@gw/entities';
import { storableText } from '@gw/kernel';
import {
  checkOpenApi,
  listedOperations,
  OPENAPI_BOUNDS,
  OpenApiFault,
  openApiTools,
  operationKey,
  ownObject,
  readOpenApiText,
  withOperation,
  type JsonObject,
  type OpenApiTools,
} from '@gw/mcp';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { isStorable } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { keptCapabilities } from '../../../platform/upstreams/capability-changes';
import { McpReadError, type McpSource, type ServerDescription } from '../mcp-source';
import { infoOf } from '../mcp-server-info';
import type { ServerSnapshot } from '../mcp-snapshot';
import { selectionOf } from './openapi-selection';
import { YamlDocuments } from './yaml-documents';

const FETCH_MS = 20_000;
const TEST_MS = 10_000;
const ACCEPT = 'application/json, application/yaml;q=0.9, application/vnd.oai.openapi+json, */*;q=0.5';

/** A parsed document and its text. */
export interface ReadOpenApi {
  readonly text: string;
  readonly document: JsonObject;
}

/** Reads OpenAPI documents and derives their tools. */
@Injectable()
export class OpenApiDocuments implements McpSource {
  constructor(
    private readonly dataSource: DataSource,
    private readonly http: BufferedClient,
    private readonly yaml: YamlDocuments,
  ) {}

  /** Reads the document at a URL under the address policy. Throws as `parse` does. */
  async fetch(url: string, organisationId: string): Promise<ReadOpenApi> {
    try {
      const { status, body } = await this.http.fetchBuffered({
        ...{ url, headers: { accept: ACCEPT }, redirectsMax: 3 },
        ...{ totalTimeoutMs: FETCH_MS, bytesMax: OPENAPI_BOUNDS.bytesMax },
      });
      if (status !== 200)
        throw new OpenApiFault(
          `The document was not read: its server answered with status ${String(status)}.`,
        );
      if (!isUtf8(body)) throw new OpenApiFault('The document is not in UTF-8.');
      return await this.parse(body.toString('utf8'), organisationId);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new OpenApiFault(`The document was not read (${error.failure}): ${error.message}`);
    }
  }

  /**
   * Parses a document. Throws an `OpenApiFault`, also for more operations than a document may have,
   * and `rate_limited` when the organisation reads too many YAML documents at the same time.
   */
  async parse(text: string, organisationId: string): Promise<ReadOpenApi> {
    if (!isStorable(text)) throw new OpenApiFault('The document has a NUL or half of a character.');
    const readYaml = (yaml: string): Promise<Buffer> => this.yaml.read(yaml, organisationId);
    const document = checkOpenApi(await readOpenApiText(text, readYaml));
    listedOperations(document);
    return { text, document };
  }

  /** Reads the document of an integration again if it has a URL. Throws `McpReadError`. */
  async read({ id, organisationId }: McpIntegrationEntity): Promise<ServerSnapshot> {
    const { manager } = this.dataSource;
    const row = await manager.findOneByOrFail(McpOpenApiDocumentEntity, { integrationId: id });
    try {
      const read =
        row.url === null
          ? await this.parse(row.document, organisationId)
          : await this.fetch(row.url, organisationId);
      const tools = toolsOf(read.document, row.selection);
      if (row.url !== null) await saveRead(manager, row, columnsOfRead(read, tools));
      return snapshotOf(read.document, tools);
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      throw new McpReadError(error.message, null, false, { cause: error });
    }
  }

  /**
   * Checks that the base URL responds with a status below 500; 401 and 404 count too, since no
   * credential is sent. Does not read the body. Throws `McpReadError`.
   */
  async describe(
    { url, serverInfo }: McpIntegrationEntity,
    totalTimeoutMs = TEST_MS,
  ): Promise<ServerDescription> {
    const startedAt = performance.now();
    try {
      const limits = { totalTimeoutMs, bytesMax: 0, isHeadOnly: true };
      const { status } = await this.http.fetchBuffered({ url, headers: { accept: ACCEPT }, ...limits });
      if (status >= 500)
        throw new McpReadError(`The service answered with status ${String(status)}.`, status, false);
      return { name: serverInfo?.name ?? null, tookMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new McpReadError(`The service was not reached: ${error.message}`, null, false, { cause: error });
    }
  }
}

type ReadColumns = Pick<McpOpenApiDocumentEntity, 'document' | 'digest' | 'skipped' | 'readAt'>;

/**
 * Saves a reading. Changes nothing if the document or its selection has changed in the meantime,
 * and does not rewrite an unchanged text.
 */
async function saveRead(
  manager: EntityManager,
  { integrationId, url, digest, selection }: McpOpenApiDocumentEntity,
  { document, ...columns }: ReadColumns,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .update(McpOpenApiDocumentEntity)
    .set({ ...columns, ...(columns.digest !== digest && { document }) })
    .where('integration_id = :integrationId AND url = :url AND digest = :digest', {
      integrationId,
      url,
      digest,
    })
    .andWhere('selection = CAST(:selection AS jsonb)', { selection: JSON.stringify(selection) })
    .execute();
}

/** Returns the columns to store for a document that has just been read. */
export const columnsOfRead = ({ text }: ReadOpenApi, { refused }: OpenApiTools): ReadColumns => ({
  document: text,
  digest: createHash('sha256').update(text).digest('hex'),
  skipped: [...refused],
  readAt: new Date(),
});

/** Returns the tools of a document in the form of a server's snapshot. */
export function snapshotOf(document: JsonObject, { tools }: OpenApiTools): ServerSnapshot {
  const { title, version, description } = ownObject(document, 'info');
  const facts = { capabilities: { tools: {} }, instructions: null, revision: '' };
  const info = { ...infoOf({ name: title, title, version, description }, facts), protocolVersion: null };
  return { info, ...keptCapabilities([['tool', tools.map(withOperation)]]) };
}

/**
 * Returns the tools of a document that Postgres can store. JSON may have texts that it cannot store
 * as escapes, also where the text of the document has none.
 */
export function toolsOf(document: JsonObject, selection: StoredOpenApiSelection): OpenApiTools {
  const { tools, refused } = openApiTools(document, selectionOf(selection));
  const odd = tools.filter((tool) => !isStorable(withOperation(tool)));
  const refusedAsWell = odd.map(({ operation }) => ({
    operation: operationKey(operation),
    reason: 'A text of the operation has a NUL or half of a character.',
  }));
  return {
    tools: tools.filter((tool) => !odd.includes(tool)),
    refused: [...refused, ...refusedAsWell].map(({ operation, reason }) => ({
      ...{ operation: storableText(operation), reason: storableText(reason) },
    })),
  };
}
