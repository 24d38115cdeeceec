import { CARD_AUTH_TYPES } from '@gw/a2a';
import { EnumField, TextField, UuidField } from '@gw/web';

export class FetchAgentCardDto {
  @TextField({
    max: 2_048,
    description: 'Address of the agent; its card is read from /.well-known/agent-card.json below it.',
    example: 'https://agent.example.com',
  })
  endpoint!: string;
  @UuidField({ optional: true, description: 'Must be the organisation of the credential.' })
  organisation_id?: string;
  @EnumField(CARD_AUTH_TYPES, {
    optional: true,
    description:
      'headers sends authToken. The other types send no credential, since the card is then public.',
    example: 'headers',
  })
  authType?: (typeof CARD_AUTH_TYPES)[number];
  @TextField({
    optional: true,
    max: 8_192,
    description: 'Sent as a bearer token or, with authHeader, as the value of that header. It is not stored.',
    example: 'secret',
  })
  authToken?: string;
  @TextField({
    optional: true,
    max: 256,
    description: 'Name of the header that carries authToken.',
    example: 'x-api-key',
  })
  authHeader?: string;
}
