package dev.leasehold.moc;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Makes the small picture of a MOC: of the image that is declared as thumbnail, or else of the first file that is an image.
 * The object's name follows from its source, so a finalize that is repeated or overtaken leaves one object all the same.
 */
final class Thumbnails {
    static final int LONGEST_SIDE = 400;
    static final long MOST_BYTES = 20_000_000;

    /** A small file may be an image of any size. */
    private static final long MOST_PIXELS = 50_000_000;

    /** To be raised when other pictures are made of the same source. */
    private static final String SCALER = "scaler-1";

    private final ObjectStore objects;

    Thumbnails(ObjectStore objects) {
        this.objects = objects;
    }

    /** Stores the thumbnail, and gives its key; null if no file can be one. */
    @Nullable
    String assign(UUID moc, List<MocFile> files, Runnable check) {
        Optional<MocFile> declared = files.stream().filter(MocFile::isThumbnail).findFirst();
        List<MocFile> candidates = declared.map(List::of)
                .orElseGet(() -> files.stream().filter(MocFile::isImage).toList());
        for (MocFile source : candidates) {
            check.run();
            byte[] picture = source.size() > MOST_BYTES
                    ? null
                    : objects.read(source.key(moc)).map(Thumbnails::scaled).orElse(null);
            if (picture != null) {
                String key = "mocs/" + moc + "/thumbnail-" + name(source) + ".jpg";
                check.run();
                objects.writeOnce(key, "image/jpeg", picture);
                return key;
            }
        }
        if (declared.isPresent()) {
            throw Problems.of(
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    "thumbnail-unusable",
                    "No thumbnail can be made of the file that is declared as one. Declare the MOC anew with another.");
        }
        return null;
    }

    private static String name(MocFile source) {
        byte[] digest = ObjectStore.sha256().digest((source.sha256() + SCALER).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    /** A JPEG; null if the bytes are no image, or one with too many pixels. */
    private static byte @Nullable [] scaled(byte[] bytes) {
        try (ImageInputStream input = ImageIO.createImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(input);
            if (!readers.hasNext()) {
                return null;
            }
            ImageReader reader = readers.next();
            try {
                reader.setInput(input);
                long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
                return pixels > MOST_PIXELS ? null : jpeg(reader.read(0));
            } finally {
                reader.dispose();
            }
        } catch (IOException | RuntimeException e) {
            return null; // Readers throw all kinds of errors at bytes that are no image.
        }
    }

    private static byte[] jpeg(BufferedImage image) throws IOException {
        double scale = Math.min(1.0, (double) LONGEST_SIDE / Math.max(image.getWidth(), image.getHeight()));
        int width = Math.max(1, (int) Math.round(image.getWidth() * scale));
        int height = Math.max(1, (int) Math.round(image.getHeight() * scale));
        BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = small.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            graphics.drawImage(image, 0, 0, width, height, Color.WHITE, null);
        } finally {
            graphics.dispose();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(small, "jpeg", bytes);
        return bytes.toByteArray();
    }
}
