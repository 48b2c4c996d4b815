import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { Public, Resource } from '../../../src/auth/access.decorators.js';
import { RefusedWhen } from '../../../src/auth/refused-when.decorator.js';
import { optionalText, requiredText } from '../../../src/http/field-check.js';
import { Field } from '../../../src/http/field.decorator.js';
import { RateLimit } from '../../../src/http/rate-limit/rate-limit.decorator.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

class OrderDto {
  @Field(requiredText(40)) dish: string;
  @Field(optionalText(200)) note?: string | null;
}

@Controller('api/acme/orders')
class OrdersController {
  @Post()
  @Public()
  @RateLimit('general')
  @RefusedWhen('not_ready', () => false)
  order(@Body() { dish }: OrderDto): { dish: string } {
    return { dish };
  }

  @Get(':id')
  @Resource('acme.orders.get')
  get(): { dish: string } {
    return { dish: 'soup' };
  }
}

@Module({ controllers: [OrdersController] })
class AcmeModule {}

describe("a team's own routes", () => {
  const world = useTestApp({ modules: [AcmeModule] });

  it('are described by what their code says', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const order = document.paths['/api/acme/orders']!['post']!;
    expect(order).toMatchObject({ operationId: 'ordersOrder', tags: ['More'], security: [] });
    expect(order.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: {
            required: ['dish'],
            properties: {
              dish: { type: 'string', minLength: 1, maxLength: 40 },
              note: { type: ['string', 'null'], maxLength: 200 },
            },
          },
        },
      },
    });
    expect(Object.keys(order.responses)).toEqual(['201', '400', '413', '415', '422', '429', '500', '503']);
    const { $ref } = order.responses['503'] as { $ref: string };
    expect(JSON.stringify(document.at($ref))).toContain('not_ready');
  });

  it('are there for those who may reach them', async () => {
    const person = await signedIn(world.app);
    const admin = await signedIn(world.app, { roles: ['admin'] });
    const path = '/api/acme/orders/{id}';
    expect((await DocumentInHand.of(world.app.asGuest())).paths[path]).toBeUndefined();
    expect((await DocumentInHand.of(world.app.as(person.token))).paths[path]).toBeUndefined();
    const { get } = (await DocumentInHand.of(world.app.as(admin.token))).paths[path]!;
    expect(get).toMatchObject({ 'x-resource': 'acme.orders.get', parameters: [{ name: 'id', in: 'path' }] });
  });
});
