import type { DecisionRecord } from '@gw/contracts';
import { Answer } from '@gw/web';
import { ShownLogColumns } from './shown-columns';

/** One log in a list. Times in milliseconds, sizes in bytes, units are tokens. */
export class LogAnswer extends ShownLogColumns {
  @Answer.boolean() readonly is_success!: boolean;
  @Answer.text({ nullable: true, description: "The public API's name of the provider.", example: 'openai' })
  readonly ai_org!: string | null;
  @Answer.text({ nullable: true, description: "The public API's name of the model.", example: 'gpt-4o' })
  readonly ai_model!: string | null;
  @Answer.integer({ nullable: true, example: 1 }) readonly req_units!: number | null;
  @Answer.integer({ nullable: true, example: 1 }) readonly res_units!: number | null;
  @Answer.integer({ nullable: true, example: 1 }) readonly total_units!: number | null;
  @Answer.number({
    nullable: true,
    description: 'US cents; null when the price or the usage is not known (`priced` says which).',
    example: 0.0125,
  })
  readonly cost!: number | null;
  @Answer.text({
    nullable: true,
    description: 'The same, exactly: an integer of 1e-8 USD as text.',
    example: '12500',
  })
  readonly cost_exact!: string | null;
  @Answer.oneOf(['USD']) readonly cost_currency!: 'USD';
}

/** A logged body: JSON as a value, other text as text (`utf8`), the rest in base64. Null: none was kept. */
export class LoggedBody {
  @Answer.text({ nullable: true, example: 'application/json' }) readonly content_type!: string | null;
  @Answer.integer({ description: 'Bytes on the wire, of which less may have been kept.', example: 1 })
  readonly bytes!: number;
  @Answer.boolean() readonly truncated!: boolean;
  @Answer.oneOf(['json', 'utf8', 'base64'], { nullable: true })
  readonly encoding!: 'json' | 'utf8' | 'base64' | null;
  @Answer.any() readonly body!: unknown;
}

/** Tokens; null where the provider said nothing. */
export class UsageAnswer {
  @Answer.integer({ nullable: true, example: 12 }) readonly input_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 30 }) readonly output_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 42 }) readonly total_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 0 }) readonly cache_read_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 0 }) readonly cache_write_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 0 }) readonly reasoning_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 0 }) readonly input_audio_tokens!: number | null;
  @Answer.integer({ nullable: true, example: 0 }) readonly output_audio_tokens!: number | null;
}

/** What somebody, or a guardrail, thought of the log's trace. */
export class LogFeedbackAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.number({ example: 5 }) readonly value!: number;
  @Answer.number({ example: 1 }) readonly weight!: number;
  @Answer.json() readonly metadata!: Readonly<Record<string, unknown>>;
  @Answer.oneOf(['api', 'guardrail']) readonly source!: string;
  @Answer.time() readonly created_at!: string;
}

export class LogDetailAnswer extends LogAnswer {
  @Answer.list(() => LogFeedbackAnswer, { description: 'The newest hundred.' })
  readonly feedback!: readonly LogFeedbackAnswer[];
  @Answer.one(() => UsageAnswer, { nullable: true }) readonly usage!: UsageAnswer | null;
  @Answer.json() readonly decision!: DecisionRecord;
  @Answer.one(() => LoggedBody) readonly request!: LoggedBody;
  @Answer.one(() => LoggedBody) readonly response!: LoggedBody;
}

/** A page of logs. There is no total: counting tens of millions of rows would cost more than the page. */
export class LogsSearchedAnswer {
  @Answer.integer({ description: 'Logs that this page looked through.', example: 1_200 })
  readonly logs!: number;
  @Answer.time({ nullable: true, description: 'The time of the last of them.' })
  readonly until!: string | null;
}

export class LogPage {
  @Answer.kind('list') readonly object!: 'list';
  @Answer.list(() => LogAnswer) readonly data!: readonly LogAnswer[];
  @Answer.boolean() readonly has_more!: boolean;
  @Answer.text({ nullable: true, description: 'For the next page; null on the last one.' })
  readonly next_cursor!: string | null;
  @Answer.one(() => LogsSearchedAnswer, {
    optional: true,
    description: 'With `q`: how far this page looked, whatever it found.',
  })
  readonly searched?: LogsSearchedAnswer;
}

/** One log of a trace, with what was called from within it. */
export class LogTreeAnswer {
  @Answer.one(() => LogAnswer) readonly log!: LogAnswer;
  @Answer.list(() => LogTreeAnswer, { description: 'In the order of their time.' })
  readonly children!: readonly LogTreeAnswer[];
}

export class LogTraceAnswer {
  @Answer.kind('trace') readonly object!: 'trace';
  @Answer.text({ example: 'trace-1' }) readonly trace_id!: string;
  @Answer.list(() => LogTreeAnswer, { description: 'The spans without a parent here.' })
  readonly spans!: readonly LogTreeAnswer[];
  @Answer.boolean({ description: 'The trace has more logs than the newest thousand, which are shown.' })
  readonly truncated!: boolean;
}
