import type { Members } from '../shapes/members';

/**
 * How clients get access to this gateway: an API key as a bearer token, and OAuth with the
 * authorization code flow.
 */
export interface ServedSecurity {
  /** Null when the OAuth server is switched off. */
  readonly oauth: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly metadataUrl: string;
  } | null;
}

/** Scope that callers of agents need. */
export const AGENTS_SCOPE = 'agents.invoke';
const SCOPES = { [AGENTS_SCOPE]: 'Call agents' };

/** Returns `securitySchemes` and `securityRequirements` as 1.0 writes them. */
export function security10({ oauth }: ServedSecurity): Members {
  const schemes = {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    ...(oauth === null
      ? {}
      : {
          oauth2: {
            oauth2SecurityScheme: {
              flows: {
                authorizationCode: {
                  authorizationUrl: oauth.authorizationUrl,
                  tokenUrl: oauth.tokenUrl,
                  scopes: SCOPES,
                  pkceRequired: true,
                },
              },
              oauth2MetadataUrl: oauth.metadataUrl,
            },
          },
        }),
  };
  // The scope is listed for bearer tokens too, because a card with an empty list has several signed
  // payloads.
  const securityRequirements = Object.keys(schemes).map((name) => ({
    schemes: { [name]: { list: [AGENTS_SCOPE] } },
  }));
  return { securitySchemes: schemes, securityRequirements };
}

/** Returns `securitySchemes` and `security` as 0.3 writes them (security schemes of OpenAPI 3). */
export function security03({ oauth }: ServedSecurity): Members {
  const bearer = { type: 'http', scheme: 'bearer' };
  if (oauth === null) return { securitySchemes: { bearer }, security: [{ bearer: [] }] };
  const { authorizationUrl, tokenUrl, metadataUrl } = oauth;
  const flows = { authorizationCode: { authorizationUrl, tokenUrl, scopes: SCOPES } };
  return {
    securitySchemes: { bearer, oauth2: { type: 'oauth2', flows, oauth2MetadataUrl: metadataUrl } },
    security: [{ bearer: [] }, { oauth2: [AGENTS_SCOPE] }],
  };
}
