/** Fields of a connection to an identity provider. */
export const connectionFields = (name: string): object => ({
  name,
  issuer: 'https://idp.example.org',
  client_id: 'tollgate',
  client_secret: 'a secret of the provider',
});
