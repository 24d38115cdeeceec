import { digestOf } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { cookiesOf } from '../../platform/common/cookies';
import { SETTINGS, type AdminSettings } from '../../settings';

const SECONDS = 900;
const LENGTH = 43;

/** Identifies the browser to which a sign-in at an upstream is bound, by a cookie. */
@Injectable()
export class ConnectBrowser {
  private readonly name: string;
  private readonly attributes: string;

  constructor(@Inject(SETTINGS) { PUBLIC_URL: url }: Pick<AdminSettings, 'PUBLIC_URL'>) {
    const isSecure = url?.startsWith('https:') === true;
    this.name = isSecure ? '__Host-gw_connect' : 'gw_connect';
    // SameSite is Lax, since the authorization server sends the browser back from another site.
    this.attributes = `Path=/; Max-Age=${String(SECONDS)}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the digest of the browser's cookie; empty when there is none. */
  of(request: Pick<FastifyRequest, 'headers'>): string {
    const known = this.cookie(request);
    return known === null ? '' : digest(known);
  }

  /**
   * Returns the digest for a browser that is about to sign in, and sets the cookie in a browser
   * that has none.
   */
  bind(request: Pick<FastifyRequest, 'headers'>, reply: Pick<FastifyReply, 'header'>): string {
    const value = this.cookie(request) ?? randomBytes(32).toString('base64url');
    void reply.header('set-cookie', `${this.name}=${value}; ${this.attributes}`);
    return digest(value);
  }

  private cookie(request: Pick<FastifyRequest, 'headers'>): string | null {
    const value = cookiesOf(request).get(this.name);
    return value?.length === LENGTH ? value : null;
  }
}

const digest = (value: string): string => digestOf('mcp/connect-browser', [value]);
