/** OpenAPI schema of an agent card. */
export const AGENT_CARD_SCHEMA = {
  type: 'object' as const,
  required: ['name', 'url'],
  additionalProperties: true,
  properties: {
    name: { type: 'string' as const, example: 'Travel agent' },
    url: {
      type: 'string' as const,
      description:
        'Address of the agent. For a card of version 1.0, the address of the first interface that can be called.',
      example: 'https://agent.example.com/rpc',
    },
  },
};
