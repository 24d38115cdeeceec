import { ResponseField, IntegerField, MapField, NestedField, ObjectField, TextField } from '@gw/web';

const HEADERS = { optional: true, maxEntries: 256, keyMax: 256, valueMax: 16_384 } as const;
const BODY = {
  description: 'JSON body; stored if the settings enable logging of bodies.',
  example: { model: 'gpt-4o' },
};

export class CustomLogRequestDto {
  @TextField({ max: 8_192, example: 'https://api.example.com/v1/chat/completions' }) url!: string;
  @TextField({ optional: true, max: 16, pattern: /^[A-Za-z]+$/ }) method?: string;
  @MapField(HEADERS) headers?: Record<string, string>;
  @ObjectField(BODY) body!: Record<string, unknown>;
  @TextField({ optional: true, max: 128 }) provider?: string;
}

export class CustomLogResponseDto {
  @IntegerField({ optional: true, min: 100, max: 599 }) status?: number;
  @MapField(HEADERS) headers?: Record<string, string>;
  @ObjectField({ ...BODY, example: { usage: { prompt_tokens: 3, completion_tokens: 5 } } })
  body!: Record<string, unknown>;
  @IntegerField({ optional: true, min: 0, max: 86_400_000, description: 'Duration in milliseconds.' })
  response_time?: number;
}

/**
 * A request that did not pass through the gateway. Headers are accepted but not stored, since they
 * may contain credentials.
 */
export class CustomLogDto {
  @NestedField(() => CustomLogRequestDto) request!: CustomLogRequestDto;
  @NestedField(() => CustomLogResponseDto) response!: CustomLogResponseDto;
  @MapField({
    optional: true,
    valueMax: 1_024,
    description:
      '`trace_id`, `span_id`, `span_name`, `parent_span_id`, `user`, `organization`, and further strings.',
  })
  metadata?: Record<string, string>;
}

export class InsertedLogsResponse {
  @ResponseField.oneOf(['success']) readonly status!: 'success';
}
