import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import {
  type AccountPrincipal,
  ContentSecurityPolicy,
  CurrentAccount,
  CurrentPrincipal,
  type Principal,
  RateLimit,
  Resource,
  Throws,
} from 'lintel';
import { OutOfStock } from '../stock/stock.errors.js';
import { OfferDto, OrderDto, PlaceOrderDto } from './orders.dto.js';
import { OrderClosed, OrderTooLarge, UnknownProduct } from './orders.errors.js';
import { OrdersService } from './orders.service.js';
import { packingSlip } from './packing-slip.js';

/** `@Resource` on the class applies to each route without its own. */
@ApiTags('Orders')
@Controller('api/acme/orders')
@Resource('acme.orders.read')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get('offers')
  @ApiOperation({ summary: 'Lists what can be ordered' })
  @ApiOkResponse({ type: [OfferDto] })
  offers(@CurrentPrincipal() principal: Principal): Promise<OfferDto[]> {
    return this.orders.offers(principal);
  }

  @Post()
  @Resource('acme.orders.place')
  @RateLimit({ points: 5, durationSeconds: 60 })
  @Throws(OutOfStock, OrderTooLarge, UnknownProduct)
  @ApiOperation({ summary: 'Places an order' })
  @ApiCreatedResponse({ type: OrderDto })
  async place(
    @Body() order: PlaceOrderDto,
    @CurrentAccount() account: AccountPrincipal,
  ): Promise<OrderDto | undefined> {
    const [placed] = await this.orders.place(account, [order]);
    return placed;
  }

  @Get('mine')
  @ApiOperation({ summary: 'Lists the orders of the account' })
  @ApiOkResponse({ type: [OrderDto] })
  mine(@CurrentAccount() account: AccountPrincipal): Promise<OrderDto[]> {
    return this.orders.listOf(account);
  }

  @Get('sales')
  @Resource('acme.orders.all')
  @ApiOperation({ summary: 'Counts and sums up orders by their state' })
  sales(@CurrentPrincipal() principal: Principal): Promise<readonly object[]> {
    return this.orders.sales(principal);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows an order' })
  @ApiOkResponse({ type: OrderDto })
  async get(@Param('id', ParseUUIDPipe) id: string, @CurrentPrincipal() principal: Principal): Promise<OrderDto> {
    const order = await this.orders.find(principal, id);
    if (order === null) throw new NotFoundException(`There is no order ${id}.`);
    return order;
  }

  /** A page to print. The content security policy of the API allows no styles, so the page declares them. */
  @Get(':id/slip')
  @Header('content-type', 'text/html; charset=utf-8')
  @ContentSecurityPolicy({ 'style-src': "'unsafe-inline'" })
  @ApiOperation({ summary: 'Shows the packing slip of an order' })
  @ApiProduces('text/html')
  async slip(@Param('id', ParseUUIDPipe) id: string, @CurrentPrincipal() principal: Principal): Promise<string> {
    return packingSlip(await this.get(id, principal));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Resource('acme.orders.place')
  @Throws(OrderClosed)
  @ApiOperation({ summary: 'Cancels an order' })
  @ApiOkResponse({ type: OrderDto })
  async cancel(@Param('id', ParseUUIDPipe) id: string, @CurrentPrincipal() principal: Principal): Promise<OrderDto> {
    const order = await this.orders.cancel(principal, id);
    if (order === null) throw new NotFoundException(`There is no order ${id}.`);
    return order;
  }

  @Delete(':id')
  @HttpCode(204)
  @Resource('acme.orders.all')
  @Throws(OrderClosed)
  @ApiOperation({ summary: 'Withdraws an order' })
  @ApiNoContentResponse()
  async withdraw(@Param('id', ParseUUIDPipe) id: string, @CurrentPrincipal() principal: Principal): Promise<void> {
    await this.orders.withdraw(principal, id);
  }
}
