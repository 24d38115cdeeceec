import type { JsonObject } from '../../call';
import type { Cut, PlainModelPart, PlainResponse } from './plain';
import { PROVIDER_RESPONSES, responsesOutput } from './provider-responses';

/** Writes a response as the events of the Responses API. */

function responsesEvents(part: PlainModelPart, index: number, cut: Cut): JsonObject[] {
  const item = responsesOutput(part, index);
  const at = { output_index: index, item_id: item['id'] };
  const added = (empty: JsonObject): JsonObject => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...empty },
  });
  const done = { type: 'response.output_item.done', output_index: index, item };
  switch (part.kind) {
    case 'text':
      return [
        added({ content: [], status: 'in_progress' }),
        { type: 'response.content_part.added', ...at, content_index: 0, part: {} },
        ...cut(part.text).map((delta) => ({
          type: 'response.output_text.delta',
          ...at,
          content_index: 0,
          delta,
        })),
        { type: 'response.output_text.done', ...at, content_index: 0, text: part.text },
        {
          type: 'response.content_part.done',
          ...at,
          content_index: 0,
          part: (item['content'] as JsonObject[])[0],
        },
        done,
      ];
    case 'reasoning':
      return [
        added({ summary: [] }),
        ...cut(part.text).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          ...at,
          summary_index: 0,
          delta,
        })),
        done,
      ];
    case 'call':
      return [
        added({ arguments: '', status: 'in_progress' }),
        ...cut(JSON.stringify(part.args)).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          ...at,
          delta,
        })),
        done,
      ];
  }
}

export const responses = (response: PlainResponse, cut: Cut): JsonObject[] => {
  const whole = PROVIDER_RESPONSES['openai-responses']?.(response) ?? {};
  const events = response.parts.flatMap((part, index) => responsesEvents(part, index, cut));
  return [
    { type: 'response.created', response: { ...whole, output: [], status: 'in_progress', usage: null } },
    ...events,
    { type: response.finish === 'length' ? 'response.incomplete' : 'response.completed', response: whole },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
};
