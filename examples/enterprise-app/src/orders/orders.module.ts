import { Module } from '@nestjs/common';
import { AuthModule } from 'lintel';
import { StockModule } from '../stock/stock.module.js';
import { OrderHooks } from './order-hooks.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [AuthModule, StockModule],
  controllers: [OrdersController],
  providers: [OrdersService, OrderHooks],
})
export class OrdersModule {}
