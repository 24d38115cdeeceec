import { samlifyIdp } from '@gw/testing';

/** A certificate of an identity provider that is only read, never used. */
export const IDP_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIDFzCCAf+gAwIBAgIUR58CACnJzPDmD8l7t85jpKE6bt0wDQYJKoZIhvcNAQEL
BQAwGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUub3JnMCAXDTI2MTEyNzA1MTkxMFoY
DzIxMjYxMTAzMDUxOTEwWjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5vcmcwggEi
MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQC0Roo7IgSZhUg5UAMOr/XKSFru
fFjmxhgWRPjLixZmJaP+yZw5OltO/YsafPP0MCkncfSoqSOP4ev2mwbnZ9+MUREr
+gAkwPNfbFrGCfpv/ZkmzFDYeSekTJwnwc1s5ZEB9Mly1Vud9gUCLktgidnabL7G
EyMLnSlXY86DJD4vqlqArwRVQqeV5Emecv1n5yWg7K37NGo6kil67eO/PF1pr/KD
EV0dQ0X3SLWrTBlf50ME73Nk+0XUzB6jsyE2YubKnDuvINCIWF665NhNy7T041Tz
ShBx5V1YjIC4rPCne3ZW+lixjzmaW3uIiIkqnOXzy0v3casVHVEO9A65r2dbAgMB
AAGjUzBRMB0GA1UdDgQWBBSBLstbQuDj7B1AvDSKaMriabyZAzAfBgNVHSMEGDAW
gBSBLstbQuDj7B1AvDSKaMriabyZAzAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3
DQEBCwUAA4IBAQADf0Hb0Ag1toQYX999KqqKGNhquG9X5PFIBWW143O9dlTX1/Ve
QNJELhbGaKHgwYLi3vQBWFRbxt+gTIZR/UPlUW2QHdDdb4K+S7A+Byuv72h2y9cY
H8VqEy0+cY2rDEgN+WZWGRXvyAjgfMYFr5IFopNAz+8MH3nfYX2BeXXPfexyhK7T
EZnLrOZeYjb+FCtaEP2eNhxWUGp6vujL+1jooNW6OxLUSNe7e6kH7kWPLkSuYZ3y
Dqpi8D+ioYTLrofZKJhSanp0/YP6Apxd6B8J2fwWOPCyVsa5m8p0GSb23cx8UNOZ
5JXE/s+qh6QuqN6AUEbiJMpQEvNjELhmM+Oh
-----END CERTIFICATE-----`;

/** Returns the fields of a connection to an identity provider. */
export const connectionFields = (name: string): object => ({
  name,
  issuer: 'https://idp.example.org',
  client_id: 'tollgate',
  client_secret: 'a secret of the provider',
});

/** Returns metadata of a SAML identity provider. */
export const samlMetadata = (): string =>
  samlifyIdp('https://idp.example.org', { privateKey: '', certificate: IDP_CERTIFICATE }).metadata();
