import { otlpTraceResponse } from '@gw/telemetry';
import { ResponseField } from '@gw/web';
import { createParamDecorator, Get, Header, Param, Post, Res, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { SPANS_BODY, TakesBody } from '../../platform/bodies';
import { ControlRoutes } from '../../platform/control-routes';
import { TracesService, type PartialSuccess, type SpanList } from './traces.service';

/** Injects the parsed body: the bytes of protobuf, or the JSON value. */
const OtlpBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): unknown =>
    context.switchToHttp().getRequest<FastifyRequest>().body,
);

export class PartialSuccessResponse {
  @ResponseField.integer({
    optional: true,
    description: 'Number of spans without readable ids or times.',
    example: 0,
  })
  readonly rejectedSpans?: number;
  @ResponseField.text({ optional: true, example: 'Some spans could not be read.' })
  readonly errorMessage?: string;
}

export class OtlpResponse {
  @ResponseField.one(() => PartialSuccessResponse, { optional: true })
  readonly partialSuccess?: PartialSuccessResponse;
}

export class SpanResponse {
  @ResponseField.kind('span') readonly object!: 'span';
  @ResponseField.text({ example: '0af7651916cd43dd8448eb211c80319c' }) readonly trace_id!: string;
  @ResponseField.text({ example: 'b7ad6b7169203331' }) readonly span_id!: string;
  @ResponseField.text({ nullable: true, example: '00f067aa0ba902b7' }) readonly parent_span_id!:
    string | null;
  @ResponseField.text({ example: 'retrieve documents' }) readonly name!: string;
  @ResponseField.text({ example: 'internal' }) readonly kind!: string;
  @ResponseField.time() readonly started_at!: string;
  @ResponseField.number({ description: 'Duration in milliseconds.', example: 12.5 })
  readonly duration_ms!: number;
  @ResponseField.oneOf(['unset', 'ok', 'error']) readonly status!: 'unset' | 'ok' | 'error';
  @ResponseField.text({ nullable: true, example: 'No document was found.' }) readonly status_message!:
    string | null;
  @ResponseField.json() readonly attributes!: object;
  @ResponseField.json() readonly resource!: object;
  @ResponseField.jsons() readonly events!: readonly object[];
}

export class SpanListResponse {
  @ResponseField.kind('list') readonly object!: 'list';
  @ResponseField.list(() => SpanResponse) readonly data!: readonly SpanResponse[];
}

const OTLP_EXAMPLE = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'search' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              name: 'retrieve documents',
              kind: 1,
              startTimeUnixNano: '1770000000000000000',
              endTimeUnixNano: '1770000000012500000',
            },
          ],
        },
      ],
    },
  ],
};

/** Paths that also accept protobuf. */
export const OTLP_PATHS = ['/v1/otel/v1/traces', '/v2/otel/v1/traces'] as const;

@ControlRoutes('otel')
export class TracesController {
  constructor(private readonly traces: TracesService) {}

  /** Receives OTLP over HTTP and responds in the format of the request. */
  @Post('v1/traces')
  @Requires('logs.write', 'completions.write')
  @TakesBody(SPANS_BODY)
  @ApiConsumes('application/json', 'application/x-protobuf')
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: OTLP_EXAMPLE } })
  @ApiOkResponse({ type: OtlpResponse })
  async ingest(
    @Caller() caller: Principal,
    @OtlpBody() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PartialSuccess | Buffer> {
    const result = await this.traces.ingest(caller, body);
    if (!Buffer.isBuffer(body)) return result;
    void reply.header('content-type', 'application/x-protobuf');
    const type = otlpTraceResponse();
    return Buffer.from(type.encode(type.fromObject(result)).finish());
  }

  @Get('traces/:traceId')
  @Requires('logs.view')
  @Header('cache-control', 'no-store')
  @ApiOkResponse({ type: SpanListResponse })
  spans(@Caller() caller: Principal, @Param('traceId') traceId: string): Promise<SpanList> {
    return this.traces.spans(caller, traceId);
  }
}
