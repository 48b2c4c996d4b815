import { Controller, Get, Header, Module, Post } from '@nestjs/common';
import { ApiExcludeController, ApiExcludeEndpoint, ApiOperation } from '@nestjs/swagger';
import { Authenticated, Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import {
  ContentSecurityPolicy,
  type PolicyDirectives,
} from '../../../src/platform/http/output/content-security-policy.decorator.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { outcome } from '../../support/api-keys.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const OF_API = "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'";
const CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

@Controller('acme')
class AcmePages {
  @Get()
  @Public()
  @Header('content-type', 'text/html')
  @ContentSecurityPolicy({ 'script-src': "'self' https://cdn.example.com", 'style-src': "'self'" })
  page(): string {
    return '<!doctype html><script src="/acme.js"></script>';
  }

  @Get('framed')
  @Public()
  @ContentSecurityPolicy({ 'frame-ancestors': "'self'" })
  framed(): string {
    return 'framed';
  }

  @Get('mine')
  @Authenticated()
  @ContentSecurityPolicy({ 'img-src': 'data:' })
  mine(): string {
    return 'mine';
  }

  @Post('orders')
  @Public()
  @RateLimit('general')
  @ApiOperation({ summary: 'Order soups' })
  order(): object {
    return {};
  }

  @Get('quiet')
  @Public()
  @ApiExcludeEndpoint()
  quiet(): object {
    return {};
  }
}

@Controller('dash/acme')
@ApiExcludeController()
class DashAcmeController {
  @Get()
  @Resource('auth.acme')
  page(): string {
    return '';
  }
}

@Controller(['api/acme', 'authors'])
class TwoPlacesController {
  @Get()
  @Public()
  list(): object {
    return {};
  }
}

@Module({ controllers: [AcmePages, DashAcmeController, TwoPlacesController] })
class AcmeModule {}

describe('pages and routes outside of /api', () => {
  const world = useTestApp({ modules: [AcmeModule] });
  const policyOf = async (path: string, token?: string): Promise<unknown> => {
    const client = token === undefined ? world.app.asGuest() : world.app.as(token);
    return (await client.get(path)).headers['content-security-policy'] as unknown;
  };

  it('have the content security policy that they declare', async () => {
    expect(await policyOf('/acme')).toBe(`${CLOSED}; script-src 'self' https://cdn.example.com; style-src 'self'`);
    expect(await policyOf('/acme/framed')).toBe(CLOSED.replace("frame-ancestors 'none'", "frame-ancestors 'self'"));
    const { token } = await signedIn(world.app);
    expect(await policyOf('/acme/mine', token)).toBe(`${CLOSED}; img-src data:`);
  });

  it('keep the policy of the API for errors and for routes without a declaration', async () => {
    expect(outcome(await world.app.asGuest().get('/acme/mine'))).toEqual([401, 'token_missing']);
    for (const path of ['/acme/mine', '/acme/quiet', '/acme/nowhere']) expect(await policyOf(path)).toBe(OF_API);
  });

  it.each<[PolicyDirectives]>([
    [{ 'script-src': "'self'; frame-ancestors *" }],
    [{ 'script-src': '' }],
    [{ 'script-src': "'self'  https://a.example" }],
    [{ 'script-src': "'self', 'none'" }],
    [{ 'script-src': "'self'\n" }],
    [{ 'script src': "'self'" } as PolicyDirectives],
  ])('cannot declare %j', (directives) => {
    expect(() => ContentSecurityPolicy(directives)).toThrow(/^@ContentSecurityPolicy has script[ -]src /);
  });

  it('are in the OpenAPI document if they are described', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const { paths } = (await world.app.as(token).get('/api/openapi.json').expect(200)).body as {
      paths: Record<string, Record<string, object>>;
    };
    expect(paths['/acme/orders']?.['post']).toMatchObject({ summary: 'Order soups', security: [] });
    const own = Object.keys(paths).filter((path) => /acme|authors|dash/.test(path));
    expect(own.sort()).toEqual(['/acme/orders', '/api/acme']);
  });

  it('are named in the log if no document contains them, or if they collide with the web application', () => {
    const warnings = world.app.log
      .map((line) => JSON.parse(line) as { level: number; msg: string; handler?: string; path?: string })
      .filter(({ level, handler }) => level >= 40 && handler !== undefined);
    expect(warnings.map(({ handler, path, msg }) => [handler, path, /OpenAPI/.test(msg)])).toEqual([
      ['AcmePages.page', '/acme', true],
      ['AcmePages.framed', '/acme/framed', true],
      ['AcmePages.mine', '/acme/mine', true],
      ['TwoPlacesController.list', '/authors', true],
      ['DashAcmeController.page', '/dash/acme', false],
    ]);
  });
});
