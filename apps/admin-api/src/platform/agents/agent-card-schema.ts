/** Schema of a card of an agent, in the OpenAPI document. */
export const AGENT_CARD_SCHEMA = {
  type: 'object' as const,
  required: ['name', 'url'],
  additionalProperties: true,
  properties: {
    name: { type: 'string' as const, example: 'Travel agent' },
    url: {
      type: 'string' as const,
      description: 'Of a card of version 1.0, the address of the first interface that can be called.',
      example: 'https://agent.example.com/rpc',
    },
  },
};
