import type { TestAdminApi, GatewayResponse } from '../../../spec-support/admin-api';

/** A browser that stores cookies by path and follows no redirects by itself. */
export class Browser {
  private readonly jar = new Map<string, { readonly path: string; readonly value: string }>();

  constructor(private readonly api: Pick<TestAdminApi, 'call'>) {}

  open(url: string): Promise<GatewayResponse> {
    return this.call('GET', url);
  }

  submit(url: string, form: Readonly<Record<string, string>>): Promise<GatewayResponse> {
    return this.call('POST', url, new URLSearchParams(form).toString());
  }

  private async call(method: string, url: string, form?: string): Promise<GatewayResponse> {
    const { pathname, search } = new URL(url, 'http://localhost');
    const cookie = [...this.jar]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(`${path.replace(/\/$/, '')}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const response = await this.api.call(method, pathname + search, {
      headers: {
        accept: 'text/html',
        ...(cookie === '' ? {} : { cookie }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { body: form }),
    });
    for (const set of [response.headers['set-cookie'] ?? []].flat()) this.keep(String(set));
    return response;
  }

  private keep(set: string): void {
    const [pair = '', ...rest] = set.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const path = /^path=(.*)$/i.exec(rest.find((part) => /^path=/i.test(part)) ?? '')?.[1] ?? '/';
    const name = pair.slice(0, at);
    const value = pair.slice(at + 1);
    if (value === '') this.jar.delete(name);
    else this.jar.set(name, { path, value });
  }
}

/** Returns the value of a hidden field of a page. */
export const fieldOf = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
