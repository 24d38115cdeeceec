import type { DecisionRecord } from '@gw/contracts';
import { ResponseField } from '@gw/web';
import { ShownLogColumns } from './shown-columns';

/** One log in a list. Times are in milliseconds, sizes in bytes; units are tokens. */
export class LogResponse extends ShownLogColumns {
  @ResponseField.boolean() readonly is_success!: boolean;
  @ResponseField.boolean({
    description: 'Whether another target was called before the one that responded.',
  })
  readonly fell_back!: boolean;
  @ResponseField.boolean({
    description: 'Whether a second call was started because the first one was slow.',
  })
  readonly hedged!: boolean;
  @ResponseField.text({
    nullable: true,
    description: 'Public API name of the provider.',
    example: 'openai',
  })
  readonly ai_org!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Public API name of the model.',
    example: 'gpt-4o',
  })
  readonly ai_model!: string | null;
  @ResponseField.integer({ nullable: true, example: 1 }) readonly req_units!: number | null;
  @ResponseField.integer({ nullable: true, example: 1 }) readonly res_units!: number | null;
  @ResponseField.integer({ nullable: true, example: 1 }) readonly total_units!: number | null;
  @ResponseField.number({
    nullable: true,
    description: 'Cost in US cents; null when the price or the usage is unknown (`priced` shows which).',
    example: 0.0125,
  })
  readonly cost!: number | null;
  @ResponseField.text({
    nullable: true,
    description: 'Exact cost: an integer in units of 1e-8 USD, as a string.',
    example: '12500',
  })
  readonly cost_exact!: string | null;
  @ResponseField.oneOf(['USD']) readonly cost_currency!: 'USD';
}

/**
 * A logged body: JSON as a value, other text as a string (`utf8`), everything else in base64. Null
 * when no body was stored or the request has `bodies=false`.
 */
export class LoggedBody {
  @ResponseField.text({ nullable: true, example: 'application/json' }) readonly content_type!: string | null;
  @ResponseField.integer({ description: 'Bytes on the wire; the stored body may be truncated.', example: 1 })
  readonly bytes!: number;
  @ResponseField.boolean() readonly truncated!: boolean;
  @ResponseField.oneOf(['json', 'utf8', 'base64'], { nullable: true })
  readonly encoding!: 'json' | 'utf8' | 'base64' | null;
  @ResponseField.any() readonly body!: unknown;
}

/** Token counts; null when the provider did not report a count. */
export class UsageResponse {
  @ResponseField.integer({ nullable: true, example: 12 }) readonly input_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 30 }) readonly output_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 42 }) readonly total_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 0 }) readonly cache_read_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 0 }) readonly cache_write_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 0 }) readonly reasoning_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 0 }) readonly input_audio_tokens!: number | null;
  @ResponseField.integer({ nullable: true, example: 0 }) readonly output_audio_tokens!: number | null;
}

/** Feedback on the log's trace by a user or a guardrail. */
export class LogFeedbackResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.number({ example: 5 }) readonly value!: number;
  @ResponseField.number({ example: 1 }) readonly weight!: number;
  @ResponseField.json() readonly metadata!: Readonly<Record<string, unknown>>;
  @ResponseField.oneOf(['api', 'guardrail']) readonly source!: string;
  @ResponseField.time() readonly created_at!: string;
}

export class LogDetailResponse extends LogResponse {
  @ResponseField.list(() => LogFeedbackResponse, { description: 'The newest 100 items.' })
  readonly feedback!: readonly LogFeedbackResponse[];
  @ResponseField.one(() => UsageResponse, { nullable: true }) readonly usage!: UsageResponse | null;
  @ResponseField.json() readonly decision!: DecisionRecord;
  @ResponseField.one(() => LoggedBody) readonly request!: LoggedBody;
  @ResponseField.one(() => LoggedBody) readonly response!: LoggedBody;
}

/**
 * A page of logs. It has no total, because counting tens of millions of rows would cost more than
 * reading the page.
 */
export class LogsSearchedResponse {
  @ResponseField.integer({
    description: 'Number of logs that the search read for this page.',
    example: 1_200,
  })
  readonly logs!: number;
  @ResponseField.time({ nullable: true, description: 'Time of the last log that the search read.' })
  readonly until!: string | null;
}

export class LogPage {
  @ResponseField.kind('list') readonly object!: 'list';
  @ResponseField.list(() => LogResponse) readonly data!: readonly LogResponse[];
  @ResponseField.boolean() readonly has_more!: boolean;
  @ResponseField.text({ nullable: true, description: 'Cursor of the next page; null on the last one.' })
  readonly next_cursor!: string | null;
  @ResponseField.one(() => LogsSearchedResponse, {
    optional: true,
    description:
      'With `q`: how far the search for this page got in the log, whether or not it found anything.',
  })
  readonly searched?: LogsSearchedResponse;
}

/** One log of a trace with its child logs. */
export class LogTreeResponse {
  @ResponseField.one(() => LogResponse) readonly log!: LogResponse;
  @ResponseField.list(() => LogTreeResponse, { description: 'Ordered by time.' })
  readonly children!: readonly LogTreeResponse[];
}

export class LogTraceResponse {
  @ResponseField.kind('trace') readonly object!: 'trace';
  @ResponseField.text({ example: 'trace-1' }) readonly trace_id!: string;
  @ResponseField.list(() => LogTreeResponse, { description: 'Spans whose parent is not in this response.' })
  readonly spans!: readonly LogTreeResponse[];
  @ResponseField.boolean({
    description: 'True when the trace has more than 1,000 logs; only the newest 1,000 are shown.',
  })
  readonly truncated!: boolean;
}
