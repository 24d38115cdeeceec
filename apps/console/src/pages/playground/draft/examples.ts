import type { GatewayApi } from '../../../gateway';
import { newDraft, type Draft } from './draft';

/** An example request. */
export interface Example {
  readonly id: 'tools' | 'json' | 'image';
  readonly api: GatewayApi;
  readonly draft: () => Draft;
}

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather at a place now.',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
    },
  },
};
const SCHEMA = {
  type: 'json_schema',
  json_schema: {
    name: 'contact',
    strict: true,
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: 'string' } },
      required: ['name', 'city'],
      additionalProperties: false,
    },
  },
};

export const EXAMPLES: readonly Example[] = [
  {
    id: 'tools',
    api: 'chat',
    draft: () => ({ ...newDraft('What is the weather in Oslo?'), rest: { tools: [WEATHER] } }),
  },
  {
    id: 'json',
    api: 'chat',
    draft: () => ({ ...newDraft('Ada lives in London.'), rest: { response_format: SCHEMA } }),
  },
  {
    id: 'image',
    api: 'images',
    draft: () => ({ ...newDraft('A toll gate in the fog, as a woodcut'), rest: { size: '1024x1024' } }),
  },
];
