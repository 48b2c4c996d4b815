import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { DisabledWhen } from '../../../src/identity/auth/access/disabled-when.decorator.js';
import { optionalText, requiredText } from '../../../src/platform/http/field-check.js';
import { Field } from '../../../src/platform/http/field.decorator.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

class OrderDto {
  @Field(requiredText(40)) dish: string;
  @Field(optionalText(200)) note?: string | null;
}

enum Size {
  Small = 1,
  Large = 2,
}

class LineDto {
  @IsUUID() soup: string;
  @IsInt() @Min(1) @Max(20) count: number;
  @ValidateNested({ each: true }) @IsOptional() @Type(() => LineDto) extras?: LineDto[];
}

class PurchaseDto {
  @IsEmail() to: string;
  @IsOptional() @Length(2, 5) note?: string | null;
  @IsOptional() @IsIn(['cash', 'card']) payment?: string | null;
  @IsEnum(Size) size: Size;
  @Matches(/^[A-Z]{2}$/) country: string;
  @IsOptional() @IsBoolean() gift?: boolean;
  @IsOptional() @IsArray() @ArrayMaxSize(2) @IsString({ each: true }) tags?: string[];
  @ValidateNested() @Type(() => LineDto) first: LineDto;
}

@Controller('api/acme/purchases')
class PurchasesController {
  @Post()
  @Public()
  @RateLimit('general')
  buy(@Body() { to }: PurchaseDto): { to: string } {
    return { to };
  }
}

@Controller('api/acme/orders')
class OrdersController {
  @Post()
  @Public()
  @RateLimit('general')
  @DisabledWhen('not_ready', () => false)
  order(@Body() { dish }: OrderDto): { dish: string } {
    return { dish };
  }

  @Get(':id')
  @Resource('acme.orders.get')
  get(): { dish: string } {
    return { dish: 'soup' };
  }
}

@Module({ controllers: [OrdersController, PurchasesController] })
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
    expect(Object.keys(order.responses)).toEqual([
      '201',
      '400',
      '408',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    const { $ref } = order.responses['503'] as { $ref: string };
    expect(JSON.stringify(document.at($ref))).toContain('not_ready');
  });

  it('have the bodies that decorators of class-validator describe, and that the service takes', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const { requestBody, responses } = document.paths['/api/acme/purchases']!['post']!;
    const { schema } = (requestBody as { content: Record<string, { schema: unknown }> }).content['application/json']!;
    expect(JSON.stringify(document.at((responses['422'] as { $ref: string }).$ref))).toContain('validation_failed');
    const judge = document.judge(schema);
    const line = { soup: '01900000-0000-7000-8000-000000000000', count: 3 };
    const sound = { to: 'ann@example.com', size: 1, country: 'DE', first: line };
    const bodies: [unknown, boolean][] = [
      [sound, true],
      [{ ...sound, note: null, payment: null, gift: null, tags: null }, true],
      [{ ...sound, note: 'abc', payment: 'card', gift: false, tags: ['a', 'b'] }, true],
      [{ ...sound, first: { ...line, extras: [line, { ...line, extras: [] }] } }, true],
      [{}, false],
      [{ ...sound, to: undefined }, false],
      [{ ...sound, to: 'nobody' }, false],
      [{ ...sound, to: null }, false],
      [{ ...sound, note: 'a' }, false],
      [{ ...sound, note: 'abcdef' }, false],
      [{ ...sound, payment: 'gold' }, false],
      [{ ...sound, size: 3 }, false],
      [{ ...sound, country: 'de' }, false],
      [{ ...sound, gift: 'yes' }, false],
      [{ ...sound, tags: 'a' }, false],
      [{ ...sound, tags: ['a', 1] }, false],
      [{ ...sound, tags: ['a', 'b', 'c'] }, false],
      [{ ...sound, first: { ...line, soup: 'x' } }, false],
      [{ ...sound, first: { ...line, count: 1.5 } }, false],
      [{ ...sound, first: { ...line, count: 21 } }, false],
      [{ ...sound, first: { ...line, count: '3' } }, false],
      [{ ...sound, first: { ...line, extras: 'none' } }, false],
    ];
    for (const [body, taken] of bodies) {
      const { status } = await world.app.asGuest().post('/api/acme/purchases', body as object);
      expect([body, judge(JSON.parse(JSON.stringify(body))), status]).toEqual([body, taken, taken ? 201 : 422]);
    }
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
