import { ResponseField, TextField, TextListField, UuidField } from '@gw/web';

export class ConnectLinkResponse {
  @ResponseField.text({
    description: 'Page on which the user connects. Only this user can use it, and only once.',
    example: 'https://gateway.example.com/oauth/connect/0199…?t=…',
  })
  readonly url!: string;
  @ResponseField.time() readonly expires_at!: string;
}

/** Body of a gateway's request about a user's connection. */
export class ConnectionOwnerDto {
  @UuidField() serverId!: string;
  @UuidField() userId!: string;
}

/** Body of a gateway's request for more scopes. */
export class ConnectionScopesDto extends ConnectionOwnerDto {
  @TextListField({ maxItems: 200, itemMax: 256 }) scopes!: string[];
}

/** Body of a gateway's request to refresh a connection. */
export class RefreshConnectionDto extends ConnectionOwnerDto {
  @TextField({ max: 64, description: 'Version of the document that the gateway holds.', example: 'Xq3…' })
  version!: string;
}
