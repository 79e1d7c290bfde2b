package dev.leasehold.moc;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import javax.imageio.ImageIO;

/** A file that a user has. */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares uploads.
record Upload(String name, String contentType, byte[] bytes) {
    static Upload text(String name, String text) {
        return new Upload(name, "text/plain", text.getBytes(StandardCharsets.UTF_8));
    }

    /** An image of one colour. */
    static Upload png(String name, int width, int height, Color color) {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(color);
        graphics.fillRect(0, 0, width, height);
        graphics.dispose();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, "png", bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Upload(name, "image/png", bytes.toByteArray());
    }

    /** As it is declared. */
    Map<String, Object> declared() {
        return Map.of(
                "name",
                name,
                "size",
                bytes.length,
                "contentType",
                contentType,
                "sha256",
                HexFormat.of().formatHex(ObjectStore.sha256().digest(bytes)));
    }
}
