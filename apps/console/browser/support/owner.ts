import type { Product } from '@gw/testing';

/** Session of the owner at the admin API, with a cookie as in a browser. */
export class Owner {
  private constructor(
    private readonly product: Product,
    private readonly cookie: string,
  ) {}

  /** Signs in to the first organisation, or to the one with this id. */
  static async signIn(product: Product, organisation?: string): Promise<Owner> {
    const { owner_email: email, owner_password: password } = product.credentials;
    const response = await new Owner(product, '').send('/auth/login', {
      ...{ email, password },
      ...(organisation === undefined ? {} : { organisation_id: organisation }),
    });
    return new Owner(product, response.headers.get('set-cookie')?.split(';', 1)[0] ?? '');
  }

  /**
   * Sends a GET, or a POST when there is a body, and returns the parsed response. Throws unless it
   * succeeds.
   */
  async call<T>(path: string, body?: object): Promise<T> {
    return (await (await this.send(path, body)).json()) as T;
  }

  private async send(path: string, body?: object): Promise<Response> {
    const response = await fetch(`${this.product.adminUrl}/v1${path}`, {
      redirect: 'error',
      headers: { 'x-gw-console': '1', 'content-type': 'application/json', cookie: this.cookie },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${path} responded ${String(response.status)}: ${await response.text()}`);
    return response;
  }
}
