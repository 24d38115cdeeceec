/** OpenAPI schema of an agent card, as an agent sent it or as the gateway serves it. */
export const AGENT_CARD_SCHEMA = {
  type: 'object' as const,
  required: ['name', 'url'],
  additionalProperties: true,
  properties: {
    name: { type: 'string' as const, example: 'Travel agent' },
    url: {
      type: 'string' as const,
      description:
        'Address of the agent. In a fetched card of version 1.0, the address of the first interface that the gateway can call; in a served card, the address of the agent at the gateway.',
      example: 'https://agent.example.com/rpc',
    },
  },
};
