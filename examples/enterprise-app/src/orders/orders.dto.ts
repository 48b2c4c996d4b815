import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, MaxLength, Min } from 'class-validator';

/** A new order. */
export class PlaceOrderDto {
  @ApiProperty({ example: 'tea-green' })
  @IsString()
  @MaxLength(40)
  sku!: string;

  @ApiProperty({ example: 12 })
  @IsInt()
  @Min(1)
  pieces!: number;
}

/** An order as its customer sees it. */
export class OrderDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  sku!: string;

  @ApiProperty()
  pieces!: number;

  @ApiProperty({ enum: ['placed', 'shipped', 'cancelled'] })
  state!: string;

  @ApiProperty()
  total_cents!: number;
}

/** A product that can be ordered. */
export class OfferDto {
  @ApiProperty()
  sku!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ example: '4.00 EUR' })
  price!: string;
}
