export { EmptyResponse, listResponseOf, plainListResponseOf, RowResponse, rowFields } from './responses';
export {
  assertMatches,
  assertTag,
  contentTag,
  EtagInterceptor,
  etagOf,
  IfMatch,
  ifMatchOf,
  readsIfMatch,
  takesIfMatch,
} from './etag';
export { ResponseField, type ResponseFieldOptions } from './fields/response-fields';
export {
  EmailListField,
  EnumListField,
  MapField,
  NestedField,
  NestedListField,
  ObjectField,
  ObjectListField,
  TextListField,
  TextOrObjectField,
  TextOrListField,
  type ListOptions,
  type MapOptions,
} from './fields/composite-fields';
export { responseOf, omitOf, partialOf, pickOf } from './fields/derived';
export { assign, columnsOf, viewOf } from './fields/rows';
export { field as customField, type FieldOptions } from './fields/options';
export {
  QueryBooleanField,
  QueryEnumListField,
  QueryIntegerField,
  QueryTextListField,
  QueryUuidListField,
} from './fields/query-fields';
export {
  BitField,
  BooleanField,
  DateField,
  EmailField,
  EnumField,
  IntegerField,
  NameField,
  NumberField,
  ReferenceField,
  SlugField,
  TextField,
  UuidField,
  type NumberOptions,
  type TextOptions,
} from './fields/scalar-fields';
export { membersOf, type MemberRule } from './fields/members';
export { isStorable, IsStorable } from './fields/well-formed';
export {
  degraded,
  down,
  HealthBoard,
  partOf,
  WELL,
  type HealthWords,
  type Part,
  type PartReport,
  type PartState,
  type PartStatus,
} from './health/health-board';
export { createAdapter, readJson, type AdapterOptions } from './http/adapter';
export type { BodyBounds } from './http/body-bounds';
export { ErrorFilter, sendError } from './http/error-filter';
export { toPublicError } from './http/error-mapping';
export { hasSeveralHosts } from './http/host-header';
export { respondToParserError, rawResponse } from './http/parser-errors';
export { requestIdOf } from './http/request-id';
export { responseOn } from './http/response-on';
export { RouteTable } from './http/route-table';
export { serviceTokenCheck } from './http/service-token';
export { invalid, RequestValidationPipe, Strict, validationFailed } from './http/validation-pipe';
export { Histogram } from './metrics/histogram';
export { countRequests } from './metrics/http-metrics';
export { startMetricsServer, type MetricsServer } from './metrics/metrics-server';
export { processMetrics } from './metrics/process-metrics';
export { ScrapedMetrics, type Samples } from './metrics/scraped-metrics';
export { createLog, describeFault, NestLog, type Log } from './logger';
export { ServerDrain } from './shutdown/server-drain';
export { SHUTDOWN_SETTINGS, type ShutdownSettings } from './shutdown/shutdown-settings';
export { drainAndClose, stopOnSignals, type StopParts } from './shutdown/stop-on-signals';
export { serveOpenApi, type OpenApiOptions } from './openapi';
export {
  listOf,
  listWithMoreOf,
  pageOf,
  plainListOf,
  recordsOf,
  windowOf,
  type ListResponse,
  type PageQuery,
} from './pagination';
